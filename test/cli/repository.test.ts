// Tests a registered repository on the command line, a folder of packages below sourceRoots.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

type Json = Record<string, unknown>;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('cli-repository');
  addPackage('hello', '1.0.0');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', sourceRoots: [folder.at('packages')] }));
});
afterEach(() => folder.remove());

function addPackage(name: string, version: string): void {
  mkdirSync(folder.at('packages', name), { recursive: true });
  writeFileSync(folder.at('packages', name, 'composer.json'), JSON.stringify({ name: `acme/${name}`, version }));
}

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Json> =>
  JSON.parse((await run('repository', ...args, '--json')).stdout) as Json;

describe('libretto repository', () => {
  itInSeries('names a folder that is gone, in the sync and in the build', async () => {
    expect((await run('repository', 'add', 'packages', '--type', 'directory')).exitCode).toBe(0);
    rmSync(folder.at('packages'), { recursive: true });
    const id = String(/repo_\w{16}/.exec((await run('repository', 'list', '--json')).stdout)?.[0]);
    const reason = `There is no folder ${folder.at('packages')}.`;
    expect((await run('repository', 'sync', id)).stderr).toContain(reason);
    expect((await run('build')).stderr).toContain(reason);
  });

  it('registers, verifies, syncs, shows and removes a folder', async () => {
    const added = await run(
      'repository',
      'add',
      'packages',
      '--type',
      'directory',
      '--only',
      'acme/*',
      '--interval',
      '15m',
      '--json',
    );
    expect([added.exitCode, added.stderr]).toEqual([0, '']);
    const { id, ...made } = JSON.parse(added.stdout) as Json & { id: string };
    expect(made).toMatchObject({
      type: 'directory',
      url: folder.at('packages'),
      only: ['acme/*'],
      interval: 900,
      status: 'pending',
    });
    expect(await json('verify', id)).toMatchObject({ ok: true, tags: null, packages: ['acme/hello'], problems: [] });
    const synced = await run('repository', 'sync', id);
    expect([synced.exitCode, synced.stderr, synced.stdout]).toEqual([
      0,
      '',
      'Synced: 1 added, 0 changed, 0 withdrawn (publication 1).\n  + acme/hello 1.0.0',
    ]);
    expect(await json('show', id)).toMatchObject({
      id,
      status: 'active',
      jobs: [{ state: 'succeeded', report: { counts: { added: 1 } } }],
    });
    expect((await run('repository', 'list')).stdout).toMatch(
      /^ID +TYPE +STATUS +LAST SYNCED +URL\nrepo_\w{16} +directory +active +20/,
    );

    const asked = await run('repository', 'remove', id);
    expect([asked.exitCode, asked.stderr]).toEqual([
      2,
      `libretto: Removing ${id} withdraws 1 package:\n  acme/hello\nAdd --yes to remove it.`,
    ]);
    expect((await run('repository', 'remove', id, '--yes')).exitCode).toBe(0);
    expect(await json('list')).toEqual({ repositories: [] });
    expect(JSON.parse((await run('verify', '--json')).stdout)).toMatchObject({ ok: true, checked: { packages: 0 } });
    expect((await run('repository', 'show', id)).exitCode).toBe(2);
  });

  it('includes the repository in a build of everything, and not in one of named sources', async () => {
    const { id } = await json('add', 'packages', '--type', 'directory');
    mkdirSync(folder.at('others/more'), { recursive: true });
    writeFileSync(folder.at('others/more/composer.json'), JSON.stringify({ name: 'acme/more', version: '1.0.0' }));
    const added = async (...args: readonly string[]): Promise<string[]> =>
      (
        JSON.parse((await run('build', '--json', ...args)).stdout) as { added: { name: string; version: string }[] }
      ).added.map(({ name, version }) => `${name} ${version}`);
    expect(await added('others')).toEqual(['acme/more 1.0.0']);
    expect(await added()).toEqual(['acme/hello 1.0.0']);
    addPackage('again', '1.0.0');
    expect(await added('others')).toEqual([]);
    expect(await added()).toEqual(['acme/again 1.0.0']);
    const named = await run('build', 'packages');
    expect([named.exitCode, named.stderr]).toEqual([
      2,
      expect.stringContaining('is a registered repository') as string,
    ]);
    const forgotten = await run('build', '--forget', 'packages');
    expect([forgotten.exitCode, forgotten.stderr]).toEqual([
      2,
      expect.stringContaining('libretto repository remove') as string,
    ]);
    expect((await json('show', String(id)))['status']).toBe('pending'); // a build is not a sync
  });

  it('refuses changes that contradict each other, and removes credentials', async () => {
    writeFileSync(folder.at('first'), 'secret-first\n');
    const { id } = await json('add', 'https://1.1.1.1/x.git', '--token-file', 'first', '--branch', 'main');
    expect(await json('update', String(id), '--without', 'credentials')).toMatchObject({
      credentials: null,
      branches: ['main'],
    });
    const refusals: readonly (readonly [readonly string[], string])[] = [
      [[], 'Nothing to change'],
      [['--without', 'interval', '--interval', '1h'], '--without interval'],
      [['--without', 'url'], 'Allowed choices'],
      [['--key-file', 'first'], 'credentials private_key: '],
      [['--only', '..'], '--only: '],
    ];
    for (const [args, message] of refusals) {
      const refused = await run('repository', 'update', String(id), ...args);
      expect([refused.exitCode, refused.stderr], args.join(' ')).toEqual([
        2,
        expect.stringContaining(message) as string,
      ]);
    }
    expect((await run('repository', 'update', 'repo_0123456789abcdef', '--interval', '1h')).stderr).toContain(
      'There is no repository',
    );
    expect((await run('audit', 'list', '--action', 'repository.update')).stdout).not.toContain('secret-');
  });

  itInSeries('withdraws a removed repository as soon as the running build has ended', async () => {
    const { id } = await json('add', 'packages', '--type', 'directory');
    await run('repository', 'sync', String(id));
    const lock = folder.at('data/build/lock');
    writeFileSync(
      lock,
      JSON.stringify({ id: 'x', pid: 1, host: 'elsewhere', boot: 'x', startTicks: '1', since: '2026-11-21T00:00:00Z' }),
    );
    const removing = run('repository', 'remove', String(id), '--yes');
    await expect.poll(async () => (await json('list'))['repositories'], { timeout: 60_000 }).toEqual([]);
    rmSync(lock);
    expect((await removing).exitCode).toBe(0);
    expect(JSON.parse((await run('verify', '--json')).stdout)).toMatchObject({ ok: true, checked: { packages: 0 } });
    expect((await run('repository', 'withdraw')).stdout).toBe('Nothing is left of removed repositories.');
    const { stdout } = await run('why', 'acme/hello');
    expect(stdout).toMatch(/was withdrawn because its source was removed from the registry \(publication \d+\)\./);
  });

  it('reports faults, and reads secrets from files only', async () => {
    const refused = await run('repository', 'add', 'https://me:hunter2@git.example.org/x', '--only', '..');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      /^libretto: The repository is refused:\n {2}the address: .*credentials.*\n {2}--only: /,
    );
    expect(refused.stderr).not.toContain('hunter2');
    writeFileSync(folder.at('token'), 'hunter2\nanother line\n');
    const made = await run('repository', 'add', 'https://1.1.1.1/x.git', '--token-file', 'token');
    expect([made.exitCode, made.stdout]).toEqual([
      0,
      expect.stringMatching(/credentials {4}bearer \(sealed\)/) as string,
    ]);
    expect(made.stdout).not.toContain('hunter2');
    for (const args of [
      ['--username', 'me'],
      ['--token-file', 'missing'],
      ['--interval', '5'],
      ['--token-file', 'token', '--key-file', 'token'],
      ['--type', 'composer', '--branch', 'main'],
      ['--header', 'X-Token'],
    ])
      expect((await run('repository', 'add', 'https://1.1.1.1/y.git', ...args)).exitCode, args.join(' ')).toBe(2);
    const denied = await run('repository', 'add', 'https://127.0.0.1/x.git');
    expect([denied.exitCode, denied.stderr]).toEqual([2, expect.stringContaining('egress.allow') as string]);
    const outside = await run('repository', 'add', '/etc', '--type', 'directory');
    expect([outside.exitCode, outside.stderr]).toEqual([2, expect.stringContaining('sourceRoots') as string]);
  });
});
