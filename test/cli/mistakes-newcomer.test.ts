// The mistakes of a person who starts with Libretto, each with the message that it must get: what is wrong, where, and
// what to do.

import { mkdirSync, symlinkSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createRepository } from '../util/git-repository.ts';
import { expectMessage, type Mistake } from '../util/mistake.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { binary, cleanEnvironment, pathWithoutLibretto, runCli } from '../util/run-cli.ts';
import { itInSeries, sampleOf } from '../util/series.ts';

let tree: TemporaryTree;
beforeAll(async () => {
  tree = temporaryTree({
    ...below('packages/hello', libraryTree('acme/hello', { version: '1.0.0' })),
    'unversioned/composer.json': JSON.stringify({ name: 'acme/new', description: 'x' }),
    'checkouts/one/composer.json': JSON.stringify({ name: 'acme/one', description: 'x' }),
    'mixed/plain/composer.json': JSON.stringify({ name: 'acme/plain' }),
    'mixed/versioned/composer.json': JSON.stringify({ name: 'acme/versioned', version: '1.2.0' }),
    'comma/composer.json': '{\n  "name": "acme/comma",\n}\n',
    'nameless/composer.json': '{"description": "x"}',
    'vendorless/composer.json': '{"name": "Hello"}',
    'wrong-version/composer.json': '{"name": "acme/wrong", "version": "1.x.y"}',
    'empty/': '',
    'existing/libretto.json': '{}',
  });
  mkdirSync(tree.path('checkouts/one/.git'));
  await runCli(['build', 'packages', '--data', 'var'], { cwd: tree.root });
});
afterAll(() => tree.remove());

const reads = 'Use https://git.example.org/a.git or ssh://git@git.example.org/a.git.';
const mistakes: readonly Mistake[] = [
  {
    title: 'a command misspelt',
    args: ['biuld'],
    says: ["unknown command 'biuld'", '(Did you mean build?)', 'Run `libretto --help`'],
  },
  {
    title: 'an option misspelt',
    args: ['build', '--stricht'],
    says: ["unknown option '--stricht'", 'Did you mean --strict?', 'Run `libretto build --help`'],
  },
  {
    title: 'the help of a misspelt command',
    args: ['help', 'token', 'creat'],
    says: ["unknown command 'creat'", 'Did you mean create?', 'Run `libretto token --help`'],
  },
  {
    title: 'a command of Composer',
    args: ['install', 'acme/hello'],
    says: ["unknown command 'install'", 'composer require VENDOR/PACKAGE'],
  },
  {
    title: 'a command of other tools',
    args: ['auth'],
    says: ["unknown command 'auth'", '`libretto login URL`', 'libretto token create --description TEXT'],
  },
  ...['ls', 'packages'].map((word) => ({
    title: `\`${word}\` for the list of packages`,
    args: [word],
    says: [`unknown command '${word}'`, '(the packages: `libretto package list`;'],
  })),
  {
    title: 'a word of a name as the pattern of a list',
    args: ['package', 'list', 'hello'],
    says: ['The pattern is "hello"; allowed: a name such as acme/hello, or a pattern such as acme/* or *hello*.'],
  },
  ...(
    [
      ['token delete tok_0', 'Did you mean revoke?'],
      ['token add', 'Did you mean create?'],
      ['token change', 'Did you mean update?'],
      ['user add', 'Did you mean create?'],
      ['user view', 'Did you mean show?'],
      ['user delete', 'Did you mean disable?'],
      ['package show acme/hello', 'about one package: `libretto why VENDOR/PACKAGE`'],
      ['mirror status', 'Did you mean list?'],
      ['mirror packages', 'the mirrored packages: `libretto mirror list`'],
      ['config set limits.read 5', 'to change one: `libretto settings set KEY VALUE`'],
      ['connect github --owner acme', '`libretto connect` is now `libretto connection add`'],
      ['create token', 'Did you mean `libretto token create`?'],
      ['advisory list', 'how to publish advisories: docs/how-to/advisories.md'],
      ['webhook', 'the addresses that are notified of events: `libretto notify list`'],
      ['notify disable ntf_1', 'to send no more: `libretto notify update ID --disable`'],
      ['update', 'to publish what changed in the sources: `libretto build`'],
      ['version', 'the version: `libretto --version`'],
      ['logs', 'the log of a service: journalctl -u libretto'],
    ] as const
  ).map(([line, hint]) => ({
    title: `\`${line}\``,
    args: line.split(' '),
    // the hint stands alone: no other one by the letters
    says: [/^error: unknown command '\w+'\n\([^\n]*/, hint, /\)\nRun `libretto/],
  })),
  ...[['--port', '8610'], ['--port=8610'], ['-p', '8610']].map((words) => ({
    title: `\`${words.join(' ')}\` of other servers`,
    args: ['serve', ...words],
    says: ["unknown option '", '(Did you mean --listen 127.0.0.1:8610?)'],
  })),
  {
    title: 'an option of other servers without its value',
    args: ['serve', '--port'],
    says: ["unknown option '--port'", 'Did you mean --listen 127.0.0.1:PORT?'],
  },
  ...[
    ['package', 'withdraw', 'acme/hello:1.0.0'],
    ['package', 'purge', 'acme/hello:1.0.0', '--reason', 'x'],
    ['package', 'restore', 'acme/hello:1.0.0'],
    ['package', 'statistics', 'acme/hello:1.0.0'],
    ['why', 'acme/hello:1.0.0'],
  ].map((args) => ({
    title: `name and version in one word, as Composer has them: \`${args.join(' ')}\``,
    args: [...args, '-d', 'var'],
    says: [/[Nn]ame and version are two words here: acme\/hello 1\.0\.0/],
  })),
  {
    title: 'a folder to serve',
    args: ['serve', 'packages'],
    says: ["too many arguments for 'serve'", 'Run `libretto serve --help`'],
  },
  {
    title: 'a source that is not there',
    args: ['build', 'pakages', '-d', 'none'],
    says: [
      'There is no folder ',
      '/pakages. Name an existing folder, a git repository or its URL.',
      'Nothing was built.',
    ],
  },
  {
    title: 'a file as the source',
    args: ['build', 'packages/hello/composer.json', '-d', 'none'],
    says: ['composer.json is a file. Name the folder of the package'],
  },
  {
    title: 'a folder without packages',
    args: ['build', 'empty', '-d', 'made'],
    exitCode: 1,
    says: ['/empty contains no package: there is no composer.json at any depth'],
  },
  {
    title: 'no source at all',
    args: ['build', '-d', 'none'],
    says: ['There is nothing to build. Name a SOURCE: a folder of packages, a git repository or its URL'],
  },
  {
    title: 'git://',
    args: ['build', 'git://git.example.org/a.git', '-d', 'none'],
    says: ['git://git.example.org/a.git would be fetched without encryption', reads],
  },
  {
    title: 'http:// to another machine',
    args: ['build', 'http://git.example.org/a.git', '-d', 'none'],
    says: ['would be fetched without encryption. Use https or ssh.'],
  },
  {
    title: 'a password in the address',
    args: ['build', 'https://me:hunter2@git.example.org/a.git', '-d', 'none'],
    says: ['The URL https://git.example.org/a.git contains credentials. Remove them', 'an ssh key'],
  },
  {
    title: 'ftp://',
    args: ['build', 'ftp://git.example.org/a', '-d', 'none'],
    says: ['only https://, http:// and ssh:// URLs are fetched'],
  },
  {
    title: 'a comma too many in composer.json',
    args: ['build', 'comma', '-d', 'made'],
    exitCode: 1,
    says: ['comma/composer.json, line 2, column 23: the comma before "}" is one too many.'],
  },
  {
    title: 'a composer.json without a name',
    args: ['build', 'nameless', '-d', 'made'],
    exitCode: 1,
    says: ['has no name. Give it one, such as "name": "acme/hello".'],
  },
  {
    title: 'a name without a vendor',
    args: ['build', 'vendorless', '-d', 'made'],
    exitCode: 1,
    says: ['The name "Hello"', 'a vendor and a package with one slash between them'],
  },
  {
    title: 'a version that is none',
    args: ['build', 'wrong-version', '-d', 'made'],
    exitCode: 1,
    says: ['"version" in composer.json is "1.x.y"', 'Write one such as 1.2.0 or dev-main.'],
  },
  {
    title: 'a package without a version',
    args: ['build', 'unversioned', '-d', 'fresh'],
    exitCode: 0,
    says: [
      'acme/new has no version, and counts as dev-main.',
      'acme/new:dev-main',
      'write "version": "1.0.0" into composer.json',
    ],
  },
  {
    title: 'a folder of git checkouts',
    args: ['build', 'checkouts', '-d', 'fresh'],
    exitCode: 0,
    says: [
      'acme/one has no version',
      'without the tags and branches of its git repository',
      '`libretto build --forget dir:',
      ' git:',
      /\/checkouts\/one --data \S+\/fresh`/,
    ],
  },
  {
    title: 'the source behind --only',
    args: ['build', '--only', 'packages', '-d', 'none'],
    says: ['--only packages: this is neither a package name', 'Write SOURCE before --only.'],
  },
  {
    title: 'a token without its purpose',
    args: ['token', 'create'],
    says: ["required option '--description <text>' not specified", 'Run `libretto token create --help`'],
  },
  {
    title: 'the purpose of a token as its name',
    args: ['token', 'create', '--name', 'CI'],
    says: ["unknown option '--name'", '(Did you mean --description TEXT?)', "required option '--description <text>'"],
  },
  {
    title: 'the purpose of a token without an option',
    args: ['token', 'create', 'my laptop'],
    says: ["('my laptop' has no option before it; did you mean --description 'my laptop'?)"],
  },
  {
    title: 'help behind a command',
    args: ['token', 'create', 'help'],
    says: ['(for the help: `libretto token create --help`)'],
  },
  {
    title: 'an empty purpose',
    args: ['token', 'create', '--description', ' '],
    says: ['A token needs a description: its user and purpose.'],
  },
  {
    title: 'a kind of token that is none',
    args: ['token', 'create', '--description', 'x', '--kind', 'admin'],
    says: ['--kind is "admin"; allowed: read or write.'],
  },
  {
    title: 'a limit in words',
    args: ['token', 'create', '--description', 'x', '--limit', 'ten'],
    says: ['--limit is "ten"; allowed: requests an hour as a whole number'],
  },
  {
    title: 'a date in another order',
    args: ['token', 'create', '--description', 'x', '--expires', '31.01.2027'],
    says: ['"31.01.2027" is not a valid expiry.', 'a day such as 2027-01-31'],
  },
  {
    title: 'a day in the past',
    args: ['token', 'create', '--description', 'x', '--expires', '2020-01-31'],
    says: ['"2020-01-31" does not lie in the future. To end a token now, revoke it.'],
  },
  {
    title: 'the purpose of a token as its id',
    args: ['token', 'show', 'CI'],
    says: ['There is no token with the id "CI". `libretto token list` shows all of them.'],
  },
  {
    title: 'the secret of a token as its id',
    args: ['token', 'revoke', `lib_r_${'0'.repeat(38)}`],
    says: ['This is the token itself, not its id.', '`libretto token list`'],
  },
  {
    title: 'a package without a vendor',
    args: ['why', 'hello'],
    says: ['"hello" is not a package name such as acme/hello.'],
  },
  {
    title: 'a package misspelt',
    args: ['why', 'acme/helo'],
    exitCode: 1,
    says: ['acme/helo is not published.', 'Did you mean acme/hello?'],
  },
  {
    title: 'init in a pipe',
    args: ['init'],
    says: ['There is no terminal to ask questions', '--source, --public-url, --proxy, --tls', '--yes'],
  },
  {
    title: 'init beside a configuration',
    args: ['init', '--out', 'existing/libretto.json', '--yes'],
    says: ['existing/libretto.json exists already, and is not replaced.', '--out'],
  },
  {
    title: 'an option before a command without it',
    args: ['--data', 'var', 'import', 'satis', 'satis.json'],
    says: ['--data comes before a command that has no such option.', '`libretto import satis --help`'],
  },
];

describe('a newcomer who types', () => {
  it.each(sampleOf(mistakes, 4))('$title reads what is wrong, and what to do', (mistake) =>
    expectMessage(mistake, tree.root),
  );

  itInSeries('the data folder before the command gets the same answer as behind it', async () => {
    const [before, behind] = await Promise.all([
      runCli(['--data', 'var', 'status', '--json'], { cwd: tree.root }),
      runCli(['status', '--json', '--data', 'var'], { cwd: tree.root }),
    ]);
    expect([before.exitCode, before.stdout]).toEqual([0, behind.stdout]);
    expect((await runCli(['-d', 'none', 'token', 'list', '-d', 'var'], { cwd: tree.root })).exitCode).toBe(0);
  });

  it('`help token create` reads the help of the command', async () => {
    const { exitCode, stdout } = await runCli(['help', 'token', 'create'], { cwd: tree.root });
    expect([exitCode, stdout]).toEqual([0, (await runCli(['token', 'create', '--help'], { cwd: tree.root })).stdout]);
    expect(stdout).toContain('Usage: libretto token create ');
  });

  it('a wrong word in a clone reads a command that the shell finds', async () => {
    const { exitCode, stderr } = await execa(process.execPath, [binary, 'token', 'show', 'CI'], {
      cwd: tree.root,
      env: { ...cleanEnvironment(), PATH: pathWithoutLibretto },
      extendEnv: false,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`\`node ${binary} token list\` shows all of them.`),
    ]);
  });

  itInSeries(
    'the command that a folder with git checkouts and other packages advises withdraws none of them',
    async () => {
      const { root } = tree;
      const files = { 'composer.json': JSON.stringify({ name: 'acme/tagged' }) };
      const steps = [
        { commit: 'main', files },
        { tag: 'v2.0.0', at: 'main' },
      ];
      createRepository(tree.path('mixed/tagged'), steps).git('checkout', '-q', '-f', 'main');
      const { stdout } = await runCli(['build', 'mixed', '-d', 'mixed-var'], { cwd: root });
      const [, advised = ''] = /`libretto (build --forget [^`]*)`/.exec(stdout) ?? [];
      expect(await runCli(advised.split(' '), { cwd: root })).toMatchObject({ exitCode: 0 });
      expect(Object.keys(publishedVersions(tree.path('mixed-var'))).toSorted()).toEqual([
        'acme/plain@dev-main',
        'acme/tagged@dev-main',
        'acme/tagged@v2.0.0',
        'acme/versioned@1.2.0',
      ]);
    },
  );

  itInSeries('a wrong word to a program outside the PATH reads a command that the shell finds', async () => {
    symlinkSync(binary, tree.path('lb'));
    const { exitCode, stderr } = await execa(tree.path('lb'), ['token', 'show', 'CI', '-d', 'var'], {
      cwd: tree.root,
      env: { ...cleanEnvironment(), PATH: pathWithoutLibretto },
      extendEnv: false,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('`./lb token list --data ')]);
  });

  it('a source that is not there leaves nothing behind', async () => {
    const again = await runCli(['build', '-d', 'var'], { cwd: tree.root });
    await runCli(['build', 'pakages', '-d', 'var'], { cwd: tree.root });
    expect(await runCli(['build', '-d', 'var'], { cwd: tree.root })).toMatchObject({ exitCode: again.exitCode });
  });
});
