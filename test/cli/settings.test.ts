// Tests `libretto settings`, `libretto audit` and `libretto token rotate` with a server and builds that use the
// settings.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
let running: RunningCli | undefined;
beforeEach(() => void (folder = temporaryFolder('cli-settings')));
afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
  running = undefined;
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await run(...args, '--json')).stdout) as Record<string, unknown>;
const published = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(folder.at(`var/public/${path}`), 'utf8')) as Record<string, unknown>;

describe('settings', () => {
  it('are listed, set above libretto.json, reset, and refused with the reason', async () => {
    writeFileSync(folder.at('libretto.json'), '{"limits": {"read": 50}}');
    await run('restore', '--empty');
    expect((await run('settings', 'list')).stdout).toMatch(
      /^SETTING +VALUE +FROM\n[^]*limits\.read +50 +file\n[^]*limits\.write +500 +default\n/,
    );
    expect((await run('settings', 'set', 'limits.read', '60')).stdout).toMatch(/limits\.read +60 +api/);
    expect(
      ((await json('settings', 'list'))['settings'] as object[]).find(
        (view) => (view as { key: string }).key === 'limits.read',
      ),
    ).toEqual({ key: 'limits.read', value: 60, origin: 'api', changeable: true });
    expect((await run('settings', 'unset', 'limits.read')).stdout).toMatch(/limits\.read +50 +file/);
    expect(await run('settings', 'set', 'limits.read', 'many')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'libretto: limits.read must be a whole number from 0 to 1000000000, not "many".',
    });
    const notice = await run('settings', 'set', 'warnings', String.raw`[{"versions":"*","message":"x\ud800"}]`);
    expect([notice.exitCode, notice.stderr]).toEqual([
      2,
      expect.stringContaining('warnings contains half of a surrogate pair'),
    ]);
    expect((await run('settings', 'set', 'limit.read', '5')).stderr).toContain('did you mean limits.read?');
    const { id } = (await json('token', 'create', '--description', 'CI', '--kind', 'write')) as { readonly id: string };
    const staged = (...ids: readonly string[]) => run('settings', 'set', 'publishing.staged', JSON.stringify(ids));
    const unknown = await staged(id, 'tok_9QwErTy04fHj2kLm');
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('publishing.staged names tok_9QwErTy04fHj2kLm, which is no token'),
    ]);
    await run('token', 'revoke', id);
    expect(await staged(id)).toMatchObject({ exitCode: 0 });
    const fixed = await runCli(['settings', 'set', 'limits.read', '5'], {
      cwd: folder.path,
      environment: { LIBRETTO_LIMITS_READ: '7' },
    });
    expect([fixed.exitCode, fixed.stderr]).toEqual([2, expect.stringContaining('limits.read')]);
  });

  it('apply to a running server and to the next build', async () => {
    mkdirSync(folder.at('packages-src/hello'), { recursive: true });
    writeFileSync(folder.at('packages-src/hello/composer.json'), '{"name": "acme/hello", "version": "1.0.0"}');
    expect((await run('build')).exitCode).toBe(0);
    const token = (await run('token', 'create', '--description', 'CI')).stdout;
    running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    const [url] = await running.shows(/http:\/\/127\.0\.0\.1:\d+/);
    const root = (): Promise<Response> =>
      fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
    expect((await (await root()).json()) as object).toMatchObject({ 'metadata-url': '/p2/%package%$%hash%.json' });
    await run('settings', 'set', 'metadata_url', '/p2/%package%.json');
    await run('settings', 'set', 'limits.read', '77');
    await run('settings', 'set', 'dist_url', 'https://packages.example.org/');
    const answer = await root();
    expect([answer.headers.get('x-ratelimit-limit'), await answer.json()]).toEqual([
      '77',
      expect.objectContaining({ 'metadata-url': '/p2/%package%.json' }),
    ]);
    expect((await run('build')).exitCode).toBe(0);
    expect(published('packages.json')['metadata-url']).toBe('/p2/%package%.json');
    expect(JSON.stringify(published('p2/acme/hello.json'))).toContain('"https://packages.example.org/dist/acme/hello/');
    const { counts, last_build } = (await (
      await fetch(`${url}/api/status`, { headers: { authorization: `Bearer ${token}` } })
    ).json()) as { counts: object; last_build: object };
    expect([counts, last_build]).toMatchObject([
      { packages: 1, versions: 1, tokens: { read: 1, write: 0 } },
      { outcome: 'published', quarantined: 0 },
    ]);
    running.signal('SIGTERM');
    await running.ended;
    const [use] = (await json('token', 'list'))['tokens'] as object[];
    expect(use).toMatchObject({ last_used_at: expect.stringMatching(/Z$/) as string, last_used_from: '127.0.0.1' });
    expect(running.output().stdout).toMatch(/"audit_head":\{"seq":\d+,"hash":"[0-9a-f]{64}"\}/);
  });
});

describe('audit', () => {
  it('lists the events and verifies them, also against a copied head', async () => {
    await run('token', 'create', '--description', 'CI');
    await run('settings', 'set', 'limits.read', '5');
    expect((await run('audit', 'list')).stdout).toMatch(
      /^SEQ +TIME[^\n]*\n2 +\S+ +cli:\S+ +settings\.update +settings +\{"limits\.read":\{"from":null,"to":5\}\}\n1 +\S+ +cli:\S+ +token\.create/,
    );
    expect((await json('audit', 'list', '--action', 'token.create'))['events']).toHaveLength(1);
    expect((await run('audit', 'list', '--limit', '1')).stdout.split('\n')).toHaveLength(2);
    expect((await run('audit', 'list', '--since', '2099-01-01')).stderr).toBe(
      'There is no such event in the audit log.',
    );
    expect((await run('audit', 'list', '--since', 'soon')).exitCode).toBe(2);
    const sound = await run('audit', 'verify');
    expect([sound.exitCode, sound.stdout]).toEqual([
      0,
      expect.stringMatching(/is sound: 2 events\.[^]*\n2:[0-9a-f]{64}$/),
    ]);
    const head = sound.stdout.split('\n').at(-1) ?? '';
    await run('settings', 'unset', 'limits.read');
    expect((await run('audit', 'verify', '--head', head)).exitCode).toBe(0);
    const broken = await run('audit', 'verify', '--head', `2:${'0'.repeat(64)}`);
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      expect.stringContaining('The audit log is broken at event 2'),
    ]);
    expect((await run('audit', 'verify', '--head', 'x')).exitCode).toBe(2);
  });
});

describe('token rotate', () => {
  it('prints only the new secret on standard output, and the former secret works for the given time', async () => {
    const { id, token } = (await json('token', 'create', '--description', 'CI')) as { id: string; token: string };
    const rotated = await run('token', 'rotate', id, '--grace', '2d');
    expect([rotated.exitCode, rotated.stdout]).toEqual([0, expect.stringMatching(/^lib_r_[0-9A-Za-z]{38}$/)]);
    expect(rotated.stdout).not.toBe(token);
    expect(rotated.stderr).toMatch(/former secret +valid until \d{4}-/);
    expect(await json('token', 'rotate', id, '--grace', '0')).toMatchObject({
      id,
      token: expect.stringMatching(/^lib_r_/) as string,
      previous_expires_at: null,
    });
    expect((await run('token', 'rotate', id, '--grace', '99d')).exitCode).toBe(2);
    await run('token', 'revoke', id);
    expect((await run('token', 'rotate', id)).stderr).toContain('was revoked');
  });
});
