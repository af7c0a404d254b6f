// Tests `libretto package purge`: it asks first, removes a version with all equal bytes, and names every other copy.

import { spawn } from 'node:child_process';
import AdmZip from 'adm-zip';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRepository } from '../util/git-repository.ts';
import { filesWithSecret, leakedSecret as secret, packageContaining } from '../util/leaked-version.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { allFiles, publishedVersions } from '../util/published-tree.ts';
import { lacks } from '../util/tool.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

const secretVersion = { name: 'acme/hello', version: '1.1.0' };
const namesSecretVersion = /purges versions that are [^]*\n {2}acme\/hello 1\.1\.0 \(.{12}\), published\n[^]*--yes/;
let tree: TemporaryTree;
const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli(args.includes('--data') ? args : [...args, '--data', 'data'], { cwd: tree.root });
const purge = (...more: readonly string[]): Promise<CliOutcome> =>
  run('package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', ...more);
const versions = (): string[] => Object.keys(publishedVersions(tree.path('data'))).toSorted();

async function succeeds(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(...args);
  expect({ args, exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

beforeEach(async () => {
  tree = temporaryTree({
    ...packageContaining('src/one', '1.0.0', 'first'),
    ...packageContaining('src/two', '1.1.0', secret),
  });
  await succeeds('build', 'src');
});
afterEach(() => tree.remove());

describe('libretto package purge', () => {
  it('lists the removed files and other copies, and the purge is listed, explained and audited', async () => {
    const { stdout } = await purge('--yes', '--note', 'a key in Who.php');
    expect(stdout).toMatch(/acme\/hello 1\.1\.0 is purged \(secret\), publication 2/);
    for (const place of [
      '~/.cache/composer',
      'vendor/acme/hello',
      'Backups',
      'dist/acme/hello/1.1.0.zip',
      'dir:../src',
      'Revoke',
    ])
      expect(stdout).toContain(place);
    expect([versions(), filesWithSecret(tree.path('data'))]).toEqual([['acme/hello@1.0.0'], []]);
    expect(await purge('--yes')).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await succeeds('audit', 'list', '--json'))).toMatchObject({
      events: [
        {
          action: 'package.purge',
          subject: 'acme/hello',
          details: { version: '1.1.0', reason: 'secret', note: 'a key in Who.php' },
        },
      ],
    });
    expect(JSON.parse(await succeeds('package', 'list', '--purged', '--json'))).toMatchObject({
      versions: [
        {
          name: 'acme/hello',
          version: '1.1.0',
          reason: 'secret',
          note: 'a key in Who.php',
          purged_by: expect.stringMatching(/^cli:/) as string,
        },
      ],
    });
    expect(await run('why', 'acme/hello', '1.1.0')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/purged on \d{4}-\d\d-\d\d \(secret\)/) as string,
    });
    await succeeds('verify');
  });

  it('removes an upload with its record, and refuses the same bytes', async () => {
    const zip = new AdmZip();
    zip.addLocalFolder(tree.path('src/two'));
    const { version: _version, ...composerJson } = JSON.parse(zip.readAsText('composer.json')) as Record<
      string,
      unknown
    >;
    const pack = (json: object): void => {
      zip.updateFile('composer.json', Buffer.from(JSON.stringify(json)));
      zip.writeZip(tree.path('hello.zip'));
    };
    const publish = (...more: readonly string[]): Promise<CliOutcome> =>
      runCli(['publish', 'hello.zip', ...more, '--data', 'uploads'], { cwd: tree.root });
    pack(composerJson);
    expect(await publish('--version', '1.1.0')).toMatchObject({ exitCode: 0 });
    expect(
      await runCli(['package', 'purge', 'acme/hello', '1.1.0', '--reason', 'secret', '--yes', '--data', 'uploads'], {
        cwd: tree.root,
      }),
    ).toMatchObject({ exitCode: 0 });
    expect(filesWithSecret(tree.path('uploads'))).toEqual([]);
    expect(await publish('--version', '1.1.0')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/acme\/hello 1\.1\.0.* was purged on .* \(secret\)/) as string,
    });
    expect(filesWithSecret(tree.path('uploads'))).toEqual([]);
    expect(publishedVersions(tree.path('uploads'))).toEqual({});

    // the error gives neither date nor reason of another version with the same bytes or files, which may be hidden from
    // the uploader (I14)
    const others = [await publish('--version', '2.0.0')];
    pack({ ...composerJson, version: '2.0.0' });
    others.push(await publish());
    for (const other of others) {
      expect(other).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('The content of acme/hello 2.0.0 was purged') as string,
      });
      expect(other.stderr).not.toMatch(/secret|\d{4}-\d\d-\d\d/);
    }
  });

  itInSeries(
    'keeps the version purged in a restored backup, and in a registry that imports the configuration',
    async () => {
      await succeeds('token', 'create', '--description', 'a state');
      await succeeds('backup', 'backup');
      expect(await purge('--yes')).toMatchObject({ exitCode: 0 });
      tree.write({ 'purged.json': await succeeds('package', 'list', '--purged', '--json') });
      const restore = (...more: readonly string[]): Promise<CliOutcome> =>
        runCli(['restore', 'backup', ...more], { cwd: tree.root });
      expect(await restore('--data', 'old')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('Purge them again, or restore with --purged') as string,
      });
      const refused = { exitCode: 2, stdout: '', stderr: expect.stringMatching(namesSecretVersion) as string };
      expect(await restore('--data', 'new', '--purged', 'purged.json')).toMatchObject(refused);
      expect(existsSync(tree.path('new'))).toBe(false);
      const dryRun = await restore('--purged', 'purged.json', '--dry-run', '--json');
      const purges = { tombstones: [secretVersion], purged_versions: [{ ...secretVersion, state: 'published' }] };
      expect(JSON.parse(dryRun.stdout)).toMatchObject(purges);
      expect(await restore('--data', 'new', '--purged', 'purged.json', '--yes')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/\nIt purged permanently:\n {2}acme\/hello 1\.1\.0 .*, published$/),
      });
      expect([filesWithSecret(tree.path('new')), Object.keys(publishedVersions(tree.path('new')))]).toEqual([
        [],
        ['acme/hello@1.0.0'],
      ]);
      await succeeds('config', 'export', '--out', 'registry.json');
      const bring = (...more: readonly string[]): Promise<CliOutcome> =>
        runCli(['config', 'import', 'registry.json', '--data', 'old', ...more], { cwd: tree.root });
      const before = filesWithSecret(tree.path('old'));
      expect(await bring()).toMatchObject(refused);
      expect(filesWithSecret(tree.path('old'))).toEqual(before);
      expect(JSON.parse((await bring('--dry-run', '--json')).stdout)).toMatchObject(purges);
      expect(JSON.parse((await bring('--yes', '--json')).stdout)).toMatchObject({ purged: 1, ...purges });
      for (const data of ['old', 'new']) {
        const events = ['audit', 'list', '--action', 'package.recover_purged', '--json', '--data', data];
        expect((await runCli(events, { cwd: tree.root })).stdout).toContain('"1.1.0"');
      }
      expect(filesWithSecret(tree.path('old'))).toEqual([]);
      for (const data of ['old', 'new'])
        expect(await runCli(['verify', '--data', data], { cwd: tree.root })).toMatchObject({ exitCode: 0 });
    },
  );

  it.skipIf(lacks('git'))(
    'names every version with its files and the command that purges it, and spares a clean branch',
    async () => {
      const repository = createRepository(tree.path('git'), [
        { commit: 'main', files: { 'composer.json': '{"name":"acme/lib"}', 'key.txt': secret } },
        { tag: '1.0.0', at: 'main' },
        { commit: 'main', files: {} },
      ]);
      await succeeds('build', 'git:git', '--data', 'git-data');
      repository.append([{ commit: 'main', files: { 'key.txt': 'none' } }]);
      await succeeds('build', '--data', 'git-data');
      const named =
        /acme\/lib dev-main \(([0-9a-f]{12})\), superseded: (libretto package purge acme\/lib dev-main --reason secret --reference \1)/;
      const again = (...more: readonly string[]): Promise<string> =>
        succeeds('package', 'purge', 'acme/lib', '1.0.0', '--reason', 'secret', ...more, '--data', 'git-data');
      for (const flags of [['--dry-run'], ['--yes'], ['--yes'], ['--dry-run']])
        expect(await again(...flags), flags.join()).toMatch(named);
      const { alike } = JSON.parse(await again('--dry-run', '--json')) as {
        readonly alike: readonly { readonly reference: string }[];
      };
      expect(alike).toEqual([
        {
          name: 'acme/lib',
          version: 'dev-main',
          version_normalized: 'dev-main',
          reference: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
          state: 'superseded',
          command: named.exec(await again('--dry-run'))?.[2],
        },
      ]);
      const command = named.exec(await again('--yes'))?.[2] ?? '';
      await succeeds(...command.split(' ').slice(1), '--yes', '--data', 'git-data');
      expect([filesWithSecret(tree.path('git-data')), Object.keys(publishedVersions(tree.path('git-data')))]).toEqual([
        [],
        ['acme/lib@dev-main'],
      ]);
      expect(await again('--yes')).not.toContain('same files');
    },
  );

  it('asks first: with --dry-run and without --yes nothing changes', async () => {
    const files = (): unknown =>
      allFiles(tree.path('data')).map((file) => [file, readFileSync(join(tree.path('data'), file), 'latin1')]);
    const before = files();
    expect(await purge('--dry-run')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /A purge of acme\/hello 1\.1\.0 \(secret\) would remove permanently:\n {2}acme\/hello 1\.1\.0 \([0-9a-f]{12}\), published/,
      ) as string,
    });
    expect((await purge('--dry-run')).stdout).toContain('Backups taken before the purge hold it');
    expect(await purge()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Add --yes to purge') as string,
    });
    expect(await purge('--reason', 'whatever', '--yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"whatever"; allowed: secret, malware, legal, mistake, other') as string,
    });
    expect(await run('package', 'purge', 'acme/hello', '9.9.9', '--reason', 'secret', '--yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no version 9.9.9 of acme/hello here') as string,
    });
    expect(files()).toEqual(before);
    expect(existsSync(tree.path('data/state'))).toBe(false);
  });

  itInSeries.skipIf(lacks('script'))('asks at a terminal for the words that name the version', async () => {
    expect(await atTerminal('yes')).toContain('Not confirmed. Nothing was changed.');
    expect(versions()).toHaveLength(2);
    expect(await atTerminal('acme/hello 1.1.0')).toContain('acme/hello 1.1.0 is purged (secret)');
    expect(versions()).toEqual(['acme/hello@1.0.0']);
  });
});

/** The output at a terminal where `words` are typed as the answer. */
async function atTerminal(words: string): Promise<string> {
  const command = [
    process.execPath,
    binary,
    'package',
    'purge',
    'acme/hello',
    '1.1.0',
    '--reason',
    'secret',
    '--data',
    'data',
  ]
    .map((part) => `'${part}'`)
    .join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: tree.root, env: cleanEnvironment() });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    const asked = output.endsWith('to continue: ');
    output += piece.toString();
    if (!asked && output.endsWith('to continue: ')) child.stdin.write(`${words}\n`);
  });
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
