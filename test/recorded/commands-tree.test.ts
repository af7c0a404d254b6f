// Records the commands that publish and that inspect the published tree: streams and exit codes, each with a success
// and an error.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, it } from 'vitest';
import { libraryTree } from '../util/package-tree.ts';
import { expectRecorded } from './recorder/recording.ts';
import { packageZip, pushCommit, writeDated, writeSources } from './recorder/sources.ts';
import { openTranscript } from './recorder/transcript.ts';
import { openWorkspace } from './recorder/workspace.ts';

const workspace = openWorkspace();
afterAll(() => workspace[Symbol.asyncDispose]());

it('the commands that publish, explain, compare, prune and roll back behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  for (const command of [
    'history list',
    'history --json',
    'history 1',
    'verify --json',
    'why acme/hello',
    'history diff 1',
    'rollback 1',
    'prune',
    'impact none.lock',
    'build nowhere',
    'build --only',
    'build --json',
  ])
    await run(`${command} --data empty`);
  writeSources(workspace);
  rmSync(workspace.at('bought/unsafe.zip'));
  await run('build');
  pushCommit(workspace);
  writeDated(workspace.at('packages/hello-1.2'), libraryTree('acme/hello', { version: '1.2.0' }));
  await run('build');
  await run('build --only acme/none');
  await run('build --only acme/tool --json');
  await run('build --forget packages');
  await run('build --forget nowhere');
  await run('build https://user:secret@127.0.0.1:4099/acme/none.git');
  await run('build --jobs 0 --strict');
  for (const command of [
    'history list',
    'history --json',
    'history diff 1',
    'history diff 1 2 --json',
    'history diff 99',
    'verify',
    'verify --fast --json',
    'why acme/hello',
    'why acme/hello 1.1.0 --json',
    'why acme/hello 9.9.9',
    'why acme/hell --json',
    'why hello',
  ])
    await run(command);

  writeDated(workspace.at('upload'), {
    'sent-1.0.0.zip': packageZip('acme/sent', '1.0.0'),
    'changed/sent-1.0.0.zip': packageZip('acme/sent', '1.0.0', { homepage: 'https://changed.example' }),
  });
  for (const command of [
    'publish upload/sent-1.0.0.zip',
    'publish upload/sent-1.0.0.zip --json',
    'publish upload/changed/sent-1.0.0.zip',
    'publish packages/hello-1.0',
    'publish tool --version 7.0',
    'publish nowhere',
  ])
    await run(command);

  writeFileSync(workspace.at('composer.lock'), lockFile());
  writeFileSync(workspace.at('foreign.lock'), JSON.stringify({ packages: [], 'packages-dev': [] }));
  for (const [version, type] of [
    ['1.0.0', 'library'],
    ['1.2.0', 'composer-plugin'],
  ] as const)
    writeFileSync(
      workspace.at(`${version}.lock`),
      JSON.stringify({ packages: [{ name: 'acme/hello', version, type }] }),
    );
  for (const command of [
    'impact foreign.lock',
    'impact composer.lock',
    'impact composer.lock --json',
    'impact libretto.json',
  ])
    await run(command);
  for (const command of [
    'package list',
    "package list 'acme/h*' --json",
    'package list hello',
    'package list acme/none',
    'package withdraw acme/hello 1.2.0',
    'package withdraw acme/hello 9.0.0',
    'package withdraw acme/old 0.9.0 --json',
    'package restore acme/old 0.9.0 --json',
    'package restore acme/hello 1.0.0',
    'package restore acme/hello 1.2.0',
  ])
    await run(command);
  for (const command of [
    'package purge acme/tool 1.0.0 --reason secret --dry-run',
    'package purge acme/tool 1.0.0 --reason secret',
    'package purge acme/tool 1.0.0 --reason bored --yes',
    "package purge acme/tool 1.0.0 --reason secret --note 'a key' --yes",
    'package purge acme/tool 1.0.0 --reason secret --yes --json',
    'package list --purged',
    'package list --purged --json',
    'package list --purged now',
    'package recover-purged',
    'package recover-purged nowhere.json',
  ])
    await run(command);
  for (const command of [
    'impact composer.lock --url https://packages.example.test',
    'package statistics acme/hello',
    'package statistics acme/hello --json --days 3',
    'package statistics acme/none',
    'package statistics acme/hello --days 0',
    'usage acme/hello',
    'usage acme/hello "^1" --json',
    'usage acme/hello --since today',
    'tell acme/hello --subject Ends --text Update',
    'tell acme/hello --subject Ends --text Update --yes',
    'report composer.lock --project acme/shop',
    'report composer.lock --project acme/shop --json',
    'report --remove --project acme/shop',
    'report --project acme/shop',
    'review --lock 1.0.0.lock 1.2.0.lock',
    'review --lock 1.0.0.lock 1.2.0.lock --json',
    'review --lock 1.0.0.lock 1.2.0.lock --sarif',
    'review --lock 1.0.0.lock libretto.json',
    'review --archives upload/sent-1.0.0.zip upload/changed/sent-1.0.0.zip',
    'review --archives upload/sent-1.0.0.zip upload/changed/sent-1.0.0.zip --json',
    'review --archives upload/sent-1.0.0.zip',
    'review --git tool',
    'review --git tool --json',
    'review --git upload',
    'completion fish',
    'completion ksh',
  ])
    await run(command);

  for (const command of [
    'rollback 2 --dry-run',
    'rollback 2 --json',
    'rollback 99',
    'rollback',
    'build',
    'rollback --lift',
    'build --json',
  ])
    await run(command);
  workspace.pass(5 * 86_400);
  for (const command of [
    'prune --keep-for 3d --dry-run',
    'prune --keep-for 3d --json',
    'prune --keep-for ever',
    'prune --keep-for 3d',
  ])
    await run(command);
  for (const command of ['site', 'site pages', 'site pages --json', 'site packages']) await run(command);
  writeFileSync(workspace.at('data/public/dist/acme/hello/1.0.0.zip'), 'damaged');
  rmSync(workspace.at('data/public/p2/acme/tool.json'));
  for (const command of ['verify', 'verify --json', 'build', 'build --jobs 1', 'verify']) await run(command);
  transcript.expectSaid({
    'build --forget packages':
      'is still listed in libretto.json, so the next build would publish it again. Remove it there first.',
    'why acme/hello 9.9.9': 'No built source is known to have it.',
    'package list hello':
      'allowed: a name such as acme/hello, or a pattern such as acme/* or *hello*. Put a pattern in quotes.',
    'impact composer.lock': 'acme/hello 1.0.0: missing. The locked content is not here; the version is ',
    'completion ksh': 'There is no completion for "ksh". Use one of: bash, zsh, fish.',
    'package purge acme/tool 1.0.0 --reason bored': 'Clients see it. Explain more with --note, which only admins see.',
    'package purge acme/tool 1.0.0 --reason secret': [
      'The purge removes these versions permanently. They are never published again:',
      'Revoke the secret first: everyone who downloaded the version has it.',
      'and in vendor/acme/tool, as do images and build caches of CI.',
      'Restore them with --purged, so that it stays purged.',
      'Remove it there: a git tag and its commits, a folder, a ZIP.',
      'copy the tree again, then delete there and purge from its caches: dist/acme/tool/v1.0.0.zip',
    ],
  });
  expectRecorded('commands/tree', transcript.text());
});

it('receiving a tree that was built elsewhere behaves as recorded', async () => {
  const transcript = openTranscript(workspace);
  const { run } = transcript;
  writeDated(workspace.at('elsewhere-src'), libraryTree('other/lib', { version: '1.0.0' }));
  for (const command of [
    'build elsewhere-src --data elsewhere',
    'receive elsewhere --dry-run --data own',
    'receive elsewhere --as other --data own',
    'receive elsewhere --as other --json --data own',
    'receive packages --data own',
    'bundle --name libretto --data elsewhere --out elsewhere.tar --json',
    'bundle --name libretto --data elsewhere --out elsewhere.tar',
    'receive elsewhere.tar --data received --json',
    'receive elsewhere/index/_publication.json --data received',
  ])
    await run(command);
  rmSync(workspace.at('elsewhere/public/dist/other/lib/1.0.0.zip'));
  for (const command of [
    'receive elsewhere --as other --data own',
    "receive elsewhere --as 'no name' --data own",
    'verify --data own --json',
    'build --forget received:other --allow-withdraw --data own --json',
  ])
    await run(command);
  transcript.expectSaid({
    "receive elsewhere --as 'no name'":
      'A name has up to 64 letters, digits, ".", "_" and "-", and begins with a letter or digit.',
  });
  expectRecorded('commands/receive', transcript.text());
});

it('converting a satis.json into a libretto.json behaves as recorded', async () => {
  const transcript = openTranscript(workspace);
  const satis = {
    name: 'acme/satis',
    homepage: 'https://satis.example',
    repositories: [
      { type: 'vcs', url: 'https://git.example/acme/tool.git' },
      { type: 'artifact', path: 'bought' },
      { type: 'pear', url: 'https://pear.example' },
    ],
    require: { 'acme/tool': '^1.0' },
    archive: { directory: 'dist', format: 'tar' },
    'require-all': false,
    'notify-batch': 'https://x.example',
    unheard: true,
  };
  writeFileSync(workspace.at('satis.json'), JSON.stringify(satis));
  for (const command of [
    'satis satis.json --out -',
    'satis satis.json --out made.json --json',
    'satis satis.json --out made.json',
    'satis none.json',
    'satis composer.lock --out other.json',
  ])
    await transcript.run(`import ${command}`);
  transcript.expectSaid({
    'import satis satis.json': [
      'repositories[1]: It has no type or no url.',
      'Composer no longer supports PEAR.',
      'archive.format: Archives are always ZIPs.',
    ],
  });
  expectRecorded('commands/import', transcript.text());
});

it('a lock that agrees with the tree, and failing commands with --json, behave as recorded', async () => {
  const transcript = openTranscript(workspace);
  writeDated(workspace.at('fresh-src'), libraryTree('acme/fresh', { version: '1.0.0' }));
  await transcript.run('build fresh-src --data fresh --json');
  const document = JSON.parse(readFileSync(workspace.at('fresh/public/p2/acme/fresh.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Readonly<Record<string, object>>>>;
  };
  const lock = { packages: Object.values(document.packages['acme/fresh'] ?? {}), 'packages-dev': [] };
  writeFileSync(workspace.at('fresh.lock'), JSON.stringify(lock));
  for (const command of [
    'impact fresh.lock',
    'impact none.lock',
    'build nowhere',
    'build fresh-src --only acme/none',
    'why acme/none',
    'history diff 99',
    'rollback 99',
    'prune --keep-for ever',
    'receive packages',
    'publish nowhere',
    'package withdraw acme/fresh 9.0.0',
    'package restore acme/fresh 1.0.0',
    'package purge acme/fresh 9.0.0 --reason secret --yes',
    'package statistics acme/none',
  ])
    await transcript.run(`${command} --data fresh --json`);
  expectRecorded('commands/json', transcript.text());
});

function lockFile(): string {
  const dist = (reference: string, url: string) => ({ type: 'zip', url, reference, shasum: '' });
  const locked = (name: string, version: string, reference: string) => ({
    name,
    version,
    dist: dist(reference, `https://packages.example.test/dist/${name}/${version}.zip`),
  });
  const packages = [
    locked('acme/hello', '1.0.0', '0'.repeat(40)),
    locked('acme/hello', '1.2.0', 'b757ec55477bd0b5c204d2e75ad7ddf624d5e59b'),
    locked('acme/tool', 'v1.0.0', 'ce0ce5f1e168ec76406399860351aca05398e079'),
    locked('acme/gone', '1.0.0', '1'.repeat(40)),
    locked('foreign/lib', '1.0.0', '2'.repeat(40)),
  ];
  return JSON.stringify({ packages, 'packages-dev': [] });
}
