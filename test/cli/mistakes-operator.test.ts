// The mistakes of an operator, each with the message that it must get: what is wrong, where, and what to do.

import { chmodSync, readdirSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';

import { expectMessage, type Mistake } from '../util/mistake.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { sampleOf } from '../util/series.ts';

let tree: TemporaryTree;
beforeAll(async () => {
  tree = temporaryTree({
    ...below('packages/hello', libraryTree('acme/hello', { version: '1.0.0' })),
    'cert.pem': 'not a certificate',
    'a-file': '',
    'closed.json': '{}',
    ...below('closed/mypkg', libraryTree('acme/mine', { version: '1.0.0' })),
    ...below('unreadable', libraryTree('acme/mine', { version: '1.0.0' })),
    'unreadable.zip': 'PK',
    'full/a-file': '',
    'read-only/': '',
  });
  await runCli(['build', 'packages', '--data', 'var'], { cwd: tree.root });
  await runCli(['build', 'packages', '--data', 'in-redis', '--state', nobody], { cwd: tree.root });
  symlinkSync('circle', tree.path('circle'));
  await runCli(['build', 'packages', '--data', 'shared'], { cwd: tree.root });
  for (const path of ['', ...readdirSync(tree.path('shared'), { recursive: true, encoding: 'utf8' })])
    chmodSync(tree.path('shared', path), 0o777);
  chmodSync(tree.root, 0o777);
  chmodSync(tree.path('read-only'), 0o555);
  for (const path of closed) chmodSync(tree.path(path), 0o000);
});

afterAll(() => {
  for (const path of closed) chmodSync(tree.path(path), 0o700);
  tree.remove();
});

/** nothing listens there */
const nobody = 'redis://ada:secret@127.0.0.1:1';

const closed = ['closed', 'closed.json', 'unreadable', 'unreadable.zip', 'full'];

const mistakes: readonly Mistake[] = [
  {
    title: 'a configuration that is not there',
    args: ['build', '-c', 'none.json'],
    says: ['none.json (from --config) cannot be read: there is no such file.'],
  },
  {
    title: 'an address of IPv6 with a port, without brackets',
    args: ['serve', '--listen', '::1:9000'],
    says: ['--listen is "::1:9000", which may mean [::1]:9000 or [::1:9000]:8080.'],
  },
  {
    title: 'a port that cannot be',
    args: ['serve', '--listen', '127.0.0.1:99999'],
    says: ['--listen is "127.0.0.1:99999"; allowed: HOST:PORT', '0 to 65535'],
  },
  {
    title: 'a mistyped variable with a wrong value',
    args: ['serve'],
    options: { environment: { LIBRETTO_LISTEN: 'here' } },
    says: ['LIBRETTO_LISTEN is "here"; allowed: HOST:PORT'],
  },
  {
    title: 'an unknown variable',
    args: ['token', 'list', '-d', 'var', '--json'],
    options: { environment: { LIBRETTO_REDUS: 'x' } },
    exitCode: 0,
    says: ['does not use LIBRETTO_REDUS (did you mean LIBRETTO_REDIS?)'],
  },
  ...['--metrics', '--console-listen'].map((flag) => ({
    title: `one address for the packages and ${flag}`,
    args: ['serve', '-d', 'var', '--listen', '127.0.0.1:8541', flag, '127.0.0.1:8541'],
    says: [
      `127.0.0.1:8541 is the address of the packages (--listen) and of ${flag}: both need an address of their own.`,
      `Choose another port with ${flag}.`,
    ],
  })),
  {
    title: 'a certificate without its key',
    args: ['serve', '--tls-cert', 'cert.pem'],
    says: ['There is a certificate (--tls-cert) without its private key. Name it with --tls-key.'],
  },
  {
    title: 'a certificate that is not there',
    args: ['serve', '--tls-cert', 'no.pem', '--tls-key', 'no.key'],
    exitCode: 1,
    says: ['The certificate ', '/no.pem (--tls-cert) cannot be read: there is no such file.'],
  },
  {
    title: 'a Redis with http://',
    args: ['serve', '--redis', 'http://127.0.0.1'],
    says: ['--redis is "http://127.0.0.1"; allowed: redis://'],
  },
  {
    title: 'workers without a Redis',
    args: ['serve', '--workers', '4'],
    says: ['4 workers (--workers) need a shared Redis.', 'or serve with one worker'],
  },
  {
    title: 'an unknown feature',
    args: ['serve', '--features', 'all'],
    says: ['--features is "all"; allowed: any of api, mirror'],
  },
  {
    title: 'a data folder that is not there',
    args: ['token', 'list', '-d', 'none'],
    says: [
      'There is no data folder ',
      '/none (--data). Name the data folder with --data',
      /`libretto build --data \S+\/none` makes a new one\./,
    ],
  },
  {
    title: 'an empty variable before the next option',
    args: ['build', 'packages', '-d', '-q'],
    says: [
      '--data is followed by -q, which looks like an option.',
      'Write the path of a folder after --data; write ./-q for a folder of that name.',
    ],
  },
  {
    title: 'an empty variable before the next option, for the configuration',
    args: ['--config', '--quiet', 'status'],
    says: ['--config is followed by --quiet', 'write ./--quiet for a file of that name.'],
  },
  {
    title: 'an empty variable in quotes as the data folder',
    args: ['build', 'packages', '--data', ''],
    says: ['--data has an empty value. Write the path of a folder; a variable may have no value.'],
  },
  {
    title: 'an empty variable in quotes as the configuration file',
    args: ['status', '--config='],
    says: ['--config has an empty value. Write the path of a file; a variable may have no value.'],
  },
  {
    title: 'an empty variable as the file to write',
    args: ['import', 'satis', 'satis.json', '--out', ''],
    says: ['--out has an empty value.'],
  },
  ...[
    ['token', 'create', '--description', 'CI', '-d', 'in-redis'],
    ['build', '-d', 'in-redis'],
    ['publish', 'packages/hello', '--version', '2.0.0', '-d', 'in-redis'],
    ['serve', '--listen', '127.0.0.1:0', '-d', 'in-redis'],
    ['restore', '--empty', '-d', 'in-redis'],
  ].map((args) => ({
    title: `a state in a Redis without --state: \`${args.join(' ')}\``,
    args,
    says: [
      /The state of the data folder \S+\/in-redis is in a Redis \(redis:\/\/127\.0\.0\.1:1\)/,
      'Name it with --state redis://127.0.0.1:1 or LIBRETTO_STATE',
    ],
  })),
  ...[
    ['audit', 'verify'],
    ['package', 'restore', 'acme/hello', '1.0.0'],
  ].map((args) => ({
    title: `an address for \`${args.slice(0, 2).join(' ')}\`, which has no remote form`,
    args,
    options: { environment: { LIBRETTO_URL: 'https://packages.example.org' } },
    says: [
      `LIBRETTO_URL names a registry, and \`libretto ${args.slice(0, 2).join(' ')}\` has no remote form.`,
      'name the folder with --data.',
    ],
  })),
  {
    title: 'the address of a registry as a flag of a command without a remote form',
    args: ['audit', 'verify', '--url', 'https://packages.example.org'],
    says: ["unknown option '--url'", '(this command has no remote form: run it on the host of the registry)'],
  },
  {
    title: 'the state for a command that reads none',
    args: ['history', 'list', '--state', 'redis://127.0.0.1', '-d', 'var'],
    says: [
      "unknown option '--state'",
      '(this command reads no state, so it needs no address of one: leave --state out)',
    ],
  },
  {
    title: 'a folder of packages as the data folder',
    args: ['verify', '-d', 'packages'],
    says: ['is no data folder: it has neither a publication nor a state.', 'Name the data folder with --data'],
  },
  {
    title: 'a backup that is not there',
    args: ['restore', 'none', '-d', 'new'],
    says: [
      '/none/backup.json cannot be used: the file is missing',
      'Name the folder of a backup. Nothing was changed.',
    ],
  },
  {
    title: 'a backup into a full folder',
    args: ['backup', 'packages', '-d', 'var'],
    says: ['/packages is not empty. Name a new or empty folder.'],
  },
  {
    title: 'a publication that is not there',
    args: ['rollback', '99', '-d', 'var'],
    says: ['There is no publication 99 yet: the current one is 1. `libretto history list --data ', '` lists them.'],
  },
  {
    title: 'a span without its unit',
    args: ['prune', '--keep-for', '30', '-d', 'var'],
    says: ['--keep-for is "30"; allowed: hours, days or weeks such as 12h, 180d or 4w'],
  },
  {
    title: 'a setting misspelt',
    args: ['settings', 'set', 'limits.reads', '5', '-d', 'var'],
    says: ['"limits.reads" is not a setting', 'did you mean limits.read?'],
  },
  {
    title: 'a setting with words',
    args: ['settings', 'set', 'limits.read', 'many', '-d', 'var'],
    says: ['limits.read must be a whole number from 0 to 1000000000, not "many".'],
  },
  {
    title: 'a setting of libretto.json',
    args: ['settings', 'set', 'egress.allow', '10.0.0.0/8', '-d', 'var'],
    says: ['egress.allow is set in libretto.json, and not here, for example: "egress": {"allow": ["10.0.0.0/8"]}.'],
  },
  {
    title: 'a setting of libretto.json without a group',
    args: ['settings', 'set', 'publicUrl', 'https://packages.example.org', '-d', 'var'],
    says: ['publicUrl is set in libretto.json, and not here. docs/reference/configuration.md describes it.'],
  },
  {
    title: 'a git server in the own network',
    args: ['repository', 'add', 'https://10.0.0.7/acme/tool.git', '-d', 'var'],
    says: [
      'The address 10.0.0.7 is not public. To allow it, add it or its range to egress.allow in libretto.json: ' +
        '"egress": {"allow": ["10.0.0.7"]}',
    ],
  },
  {
    title: 'a repository without its address',
    args: ['repository', 'add', 'git', '-d', 'var'],
    says: ['The repository is refused', 'the address: is "git"; allowed: https://HOST/PATH'],
  },
  {
    title: 'a folder outside the permitted ones',
    args: ['repository', 'add', '/srv/x', '--type', 'directory', '-d', 'var'],
    says: ['No folder of this machine may be registered', 'List the folder above it in sourceRoots of libretto.json.'],
  },
  {
    title: 'a repository that is not there',
    args: ['repository', 'sync', 'repo_x', '-d', 'var'],
    says: ['There is no repository with the id "repo_x". `libretto repository list --data ', '` shows all of them.'],
  },
  {
    title: 'a purge without a reason',
    args: ['package', 'purge', 'acme/hello', '1.0.0', '-d', 'var'],
    says: ["required option '--reason <reason>' not specified", '`libretto package purge --help`'],
  },
  {
    title: 'a user without an email and without a terminal',
    args: ['user', 'create', '--invite', '-d', 'var'],
    says: ['There is no terminal to ask for the email. Name it with --email, such as ada@example.org.'],
  },
  {
    title: 'a password without a terminal',
    args: ['user', 'create', '--email', 'ada@example.org', '-d', 'var'],
    says: ['There is no terminal to ask for a password.', '--password-stdin', '--invite'],
  },
  {
    title: 'a user who is not there',
    args: ['user', 'update', 'bob@example.org', '--role', 'admin', '-d', 'var'],
    says: ['There is no user "bob@example.org". `libretto user list --data '],
  },
  {
    title: 'a doctor for a host without its scheme',
    args: ['doctor', '--url', 'packages.example.org'],
    says: [
      '--url "packages.example.org" is not the address of a registry. Write one such as https://packages.example.org',
    ],
  },
  {
    title: 'a satis.json that is not there',
    args: ['import', 'satis', 'none.json'],
    says: ['/none.json cannot be read: there is no such file. Name the satis.json to convert.'],
  },
  {
    title: 'a lock file that is not there',
    args: ['impact', 'none.lock', '-d', 'var'],
    says: ['/none.lock cannot be read as a composer.lock: there is no such file.'],
  },
  {
    title: 'a tree without its index',
    args: ['receive', 'packages', '-d', 'var'],
    says: ['index/_publication.json is missing: this tree is incomplete. Copy the whole tree again'],
  },
  {
    title: 'a time in words',
    args: ['audit', 'list', '--since', 'yesterday', '-d', 'var'],
    says: ['--since is "yesterday"; allowed: a day such as 2027-01-31'],
  },
];

const mayNotRead = [/The user \S.* may not read \S+\/closed\/mypkg\. Move it to a folder .*, or give the user rights/];
const asOther = { asOther: true };

const withoutRights: readonly Mistake[] = [
  ...[
    ['publish', 'closed/mypkg', '-d', 'new'],
    ['publish', 'closed/mypkg', '--url', 'https://packages.example.org', '--token', 'lib_w_x'],
    ['build', 'closed/mypkg', '-d', 'new'],
    ['build', 'git:closed/mypkg', '-d', 'new'],
    ['build', 'artifact:closed/mypkg', '-d', 'new'],
    ['receive', 'closed/mypkg', '-d', 'new'],
    ['init', '--yes', '--out', 'new.json', '--source', 'closed/mypkg'],
  ].map((args) => ({ title: `folder of \`${args.join(' ')}\``, args, options: asOther, says: mayNotRead })),
  ...[
    ['publish', 'unreadable', '-d', 'new'],
    ['publish', 'unreadable.zip', '-d', 'new'],
    ['build', 'unreadable', '-d', 'new'],
    ['receive', 'unreadable', '-d', 'new'],
  ].map((args) => ({
    title: `unreadable path of \`${args.join(' ')}\``,
    args,
    options: asOther,
    says: [/The user \S.* may not read \S+\/unreadable\S*\. Move it to a folder/],
  })),
  ...['closed.json', 'closed/libretto.json'].map((path) => ({
    title: `configuration ${path}`,
    args: ['build', '-c', path, '-d', 'new'],
    options: asOther,
    says: [
      `${path} (from --config) cannot be read: this user may not read it.`,
      /closed\S* belongs to (?:root\. G|(?!root)(\S+)\. Run the command as that user, with "sudo -u \1" before it, or g)ive/,
    ],
  })),
  ...[
    [
      'token file',
      2,
      ['repository', 'add', 'https://git.example.org/x.git', '--token-file', 'closed.json', '-d', 'kept'],
    ],
    ['private key', 2, ['repository', 'add', 'git@git.example.org:x.git', '--key-file', 'closed.json', '-d', 'kept']],
    [
      'certificate',
      1,
      ['serve', '-d', 'kept', '--listen', '127.0.0.1:0', '--tls-cert', 'closed.json', '--tls-key', 'closed.json'],
    ],
  ].map(([title, exitCode, args]) => ({
    title: `unreadable ${String(title)}`,
    args: args as string[],
    options: asOther,
    exitCode: exitCode as number,
    says: [
      'closed.json',
      'cannot be read: this user may not read it.',
      /closed\.json belongs to (?:root\. G|(?!root)(\S+)\. Run the command as that user, with "sudo -u \1" before it, or g)ive/,
    ],
  })),
  {
    title: 'circle of links',
    args: ['publish', 'circle', '-d', 'new'],
    says: ['/circle cannot be read: its symbolic links form a circle. Correct the links'],
  },
  {
    title: 'path of 5000 characters',
    args: ['publish', 'x'.repeat(5000), '-d', 'new'],
    says: ['cannot be read: the path is too long for this system. Name a shorter path.'],
  },
  {
    title: 'closed folder for a backup',
    args: ['backup', 'full', '-d', 'shared'],
    options: asOther,
    says: ['/full cannot be used: this user may not read it. Name a new or empty folder.'],
  },
  {
    title: 'folder that a new backup needs',
    args: ['backup', 'read-only/bk', '-d', 'shared'],
    options: asOther,
    exitCode: 1,
    says: [/no permission\. Give the user that runs Libretto write access to \S+\/read-only\.$/],
  },
];

describe('an operator who names', () => {
  it.each(sampleOf(mistakes, 4))('$title reads what is wrong, and what to do', (mistake) =>
    expectMessage(mistake, tree.root),
  );
});

describe('an operator without the rights to the', () => {
  it.each(sampleOf(withoutRights, 4))('$title reads what is wrong, and what to do', (mistake) =>
    expectMessage(mistake, tree.root),
  );
});
