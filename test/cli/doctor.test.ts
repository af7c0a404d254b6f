// Tests `libretto doctor` on a registry and on a Redis: its findings and its advice. doctor-url.test.ts has the
// findings from outside.

import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { faultsOf, runDoctor, type DoctorReport } from '../util/doctor-report.ts';
import { startRedis } from '../util/redis-server.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let registry: Registry;
beforeAll(async () => {
  folder = temporaryFolder('cli-doctor');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  registry = await startRegistry({ sources: [folder.at('packages')] });
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});

const doctor = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<DoctorReport> =>
  runDoctor(folder.path, args, environment);

describe('doctor on a host', () => {
  it('finds no fault with a sound registry, and reports that to people and scripts', async () => {
    const report = await doctor(['--data', registry.data]);
    expect([report.exitCode, report.ok, faultsOf(report)]).toEqual([0, true, []]);
    expect(report.of('tree')?.message).toContain('1 package, 1 version');
    expect(report.of('server')?.message).toMatch(/^A server without a Redis is running: process \d+/);
    const { exitCode, stdout } = await runCli(['doctor', '--data', registry.data], { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^ok {7}node .*\n(?:.*\n)+\nNo problem was found\.$/) as string,
    ]);
  });

  itInSeries('warns of a setting with a path that publicUrl does not have, and says what to set', async () => {
    const LIBRETTO_METADATA_URL = '/sub/p2/%package%.json';
    const below = { LIBRETTO_METADATA_URL, LIBRETTO_DIST_URL: 'https://h.test/sub' };
    const alone = await doctor(['--data', registry.data], below);
    expect([alone.exitCode, alone.of('addresses')]).toEqual([
      0,
      expect.objectContaining({
        verdict: 'warning',
        message: expect.stringMatching(/^LIBRETTO_DIST_URL has a path, and publicUrl is not set: /) as string,
        advice: expect.stringMatching(/^Set "publicUrl" to the address of clients, with its path/) as string,
      }),
    ]);
    expect(alone.of('archives')?.message).toMatch(/^Builds write absolute addresses of archives: /);
    const root = await doctor(['--data', registry.data], {
      LIBRETTO_METADATA_URL,
      LIBRETTO_PUBLIC_URL: 'https://h.test',
    });
    expect(root.of('addresses')?.message).toBe(
      'LIBRETTO_METADATA_URL differs from publicUrl, https://h.test: clients request metadata at https://h.test/sub/p2/%package%.json.',
    );
  });

  it('names a missing archive and keys that others can read, with the next step', async () => {
    const data = folder.at('da maged');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    rmSync(`${data}/public/dist/acme/hello`, { recursive: true });
    mkdirSync(`${data}/keys`, { mode: 0o700 });
    writeFileSync(`${data}/keys/signing-0001.json`, '{}');
    chmodSync(`${data}/keys/signing-0001.json`, 0o644);
    const report = await doctor(['--data', data]);
    expect([report.exitCode, report.ok]).toEqual([1, false]);
    expect(report.of('tree')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('1.0.0') as string,
      advice: `\`libretto verify --data '${data}'\` lists all faults and the repair for each.`,
    });
    expect(report.of('keys')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('signing-0001.json') as string,
      advice: expect.stringContaining(`chmod -R go= '${data}/keys/signing-0001.json';`) as string,
    });
    expect(report.of('state')).toMatchObject({
      verdict: 'warning',
      advice: `\`libretto token create --description NAME --data '${data}'\``,
    });
    const { exitCode, stdout } = await runCli(['doctor', '--data', data], { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/FAILED {3}tree .*\n +→ .*libretto verify.*\n(?:.*\n)*\n2 failed, 1 warning\.$/) as string,
    ]);
  });

  itInSeries('names a last build that could not read its only source', async () => {
    const data = folder.at('unread');
    const make = (): void => {
      mkdirSync(folder.at('moved'));
      writeFileSync(folder.at('moved/composer.json'), JSON.stringify({ name: 'acme/moved', version: '1.0.0' }));
    };
    make();
    await runCli(['build', 'moved', '--data', data], { cwd: folder.path });
    rmSync(folder.at('moved'), { recursive: true });
    await runCli(['build', '--data', data], { cwd: folder.path });
    expect((await doctor(['--data', data])).of('build')).toMatchObject({
      verdict: 'warning',
      message: expect.stringMatching(/^The last build \(.*\) could not read 1 source\.$/) as string,
      advice: 'Run `libretto build`: it names the reason.',
    });
    make();
    await runCli(['build', '--data', data], { cwd: folder.path });
    expect((await doctor(['--data', data])).of('build')).toBeUndefined();
  });

  it('finds a document that was cut off, and names a repair, since an unchanged build does not repair it', async () => {
    const data = folder.at('cut');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    truncateSync(`${data}/public/p2/acme/hello.json`, 50);
    const tree = (await doctor(['--data', data])).of('tree');
    expect(tree).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('Remove build/manifest.json and run `libretto build`') as string,
    });
    expect(tree?.advice).not.toContain('libretto build');
    rmSync(`${data}/build/manifest.json`);
    await runCli(['build', '--data', data], { cwd: folder.path });
    expect((await doctor(['--data', data])).of('tree')?.verdict).toBe('ok');
  });

  itInSeries.skipIf(process.getuid?.() !== 0)('run by root leaves no file in the folder of another user', async () => {
    const data = folder.at('of-nobody');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    await runCli(['token', 'create', '--description', 'a test', '--data', data], { cwd: folder.path });
    for (const path of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
      chownSync(join(data, path), 65_534, 65_534);
    const report = await doctor(['--data', data]);
    expect([report.of('data'), report.of('state')]).toMatchObject([
      { verdict: 'warning', advice: expect.stringContaining(`with "sudo -u '#65534'" before it`) as string },
      { verdict: 'skipped' },
    ]);
  });

  it('accepts an empty data folder, and says that nothing is published yet', async () => {
    mkdirSync(folder.at('nothing-yet'));
    const report = await doctor(['--data', folder.at('nothing-yet')]);
    expect([report.exitCode, report.of('data'), report.of('tree')]).toMatchObject([
      0,
      { verdict: 'ok', message: expect.stringMatching(/and is empty$/) as string },
      { verdict: 'warning', advice: expect.stringContaining('build SOURCE') as string },
    ]);
    expect(readdirSync(folder.at('nothing-yet'))).toEqual([]);
  });

  itInSeries(
    'reports a missing data folder without creating one, and continues with an invalid configuration',
    async () => {
      const missing = await doctor(['--data', folder.at('nowhere')]);
      expect([missing.exitCode, missing.of('data')]).toMatchObject([
        1,
        { verdict: 'failed', advice: expect.stringContaining('--data') as string },
      ]);
      expect((await doctor(['--data', folder.at('nowhere')])).of('data')?.verdict).toBe('failed');
      const wrong = await doctor([], { LIBRETTO_LISTEN: 'nonsense' });
      expect([wrong.exitCode, wrong.of('configuration'), wrong.of('node')]).toMatchObject([
        1,
        { verdict: 'failed', message: expect.stringContaining('LIBRETTO_LISTEN is "nonsense"') as string },
        { verdict: 'ok' },
      ]);
    },
  );
});

describeInSeries.skipIf(lacks('redis-server'))('doctor on a Redis', () => {
  it('accepts data loss in a Redis that counts, and reports it for a Redis that holds the state', async () => {
    const redis = await startRedis(['--dir', folder.path]);
    const counts = await doctor(['--data', registry.data, '--redis', redis.url]);
    const state = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.command('config', 'set', 'appendonly', 'yes');
    const late = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.command('config', 'set', 'appendfsync', 'always');
    const persistence = async () => String(await redis.command('info', 'persistence'));
    await expect
      .poll(persistence, { timeout: 60_000 })
      .toMatch(/aof_rewrite_in_progress:0\s[^]*aof_rewrite_scheduled:0/);
    const durable = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.stop();
    expect([
      counts.of('redis'),
      counts.of('redis.writable'),
      counts.of('redis.clock'),
      counts.of('redis.durable'),
    ]).toMatchObject([
      { verdict: 'ok', message: expect.stringMatching(/^Redis \d+\.\d+\.\d+ at 127/) as string },
      { verdict: 'ok' },
      { verdict: 'ok' },
      undefined,
    ]);
    expect(state.of('redis.state.durable')).toMatchObject({
      verdict: 'failed',
      advice: expect.stringContaining('appendonly yes') as string,
    });
    expect(late.of('redis.state.durable')).toMatchObject({
      verdict: 'warning',
      message: expect.stringContaining('appendfsync everysec') as string,
      advice: expect.stringContaining('appendfsync always') as string,
    });
    expect(durable.of('redis.state.durable')).toMatchObject({ verdict: 'ok' });
  });

  it('needs no data folder for packages at an origin and a state in a Redis, and looks at that state', async () => {
    const redis = await startRedis();
    const without = ['--origin', 'http://127.0.0.1:1', '--state', redis.url];
    const missing = await doctor(['--data', folder.at('stateless'), ...without]);
    await redis.stop();
    expect(missing.of('data')).toMatchObject({
      verdict: 'skipped',
      message: expect.stringMatching(/packages are at the origin, and the state is in a Redis\.$/) as string,
    });
    expect(missing.of('state')).toMatchObject({ verdict: 'warning', advice: expect.stringContaining('token create') });
    expect(existsSync(folder.at('stateless'))).toBe(false);
  });

  it('reports an unreachable Redis or a refused password without printing the password', async () => {
    const away = await doctor(['--data', registry.data, '--redis', 'redis://me:hunter2@127.0.0.1:1']);
    expect([away.exitCode, away.of('redis')]).toMatchObject([
      1,
      { verdict: 'failed', message: expect.stringContaining('ECONNREFUSED') as string },
    ]);
    const redis = await startRedis([], 'correct');
    const wrong = await doctor(['--data', registry.data, '--redis', redis.url.replace('correct', 'hunter2')]);
    await redis.stop();
    expect([wrong.exitCode, wrong.of('redis')]).toMatchObject([
      1,
      { verdict: 'failed', message: expect.stringMatching(/WRONGPASS|password/i) as string },
    ]);
    expect(JSON.stringify([away.checks, wrong.checks])).not.toContain('hunter2');
  });
});
