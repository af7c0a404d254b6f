// Tests two servers with one state in Redis and one shared data folder: one of them at a time syncs registered
// repositories, on schedule and on request.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { librettoVersion } from '../../build/contract/libretto-version.ts';
import { takeLock, type Lock } from '../../build/output/lock.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

type Json = Record<string, unknown>;
interface Host {
  readonly server: RunningCli;
  readonly url: string;
}

describe.skipIf(lacks('redis-server'))('two hosts', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let environment: Record<string, string>;
  let token: string;
  const running: RunningCli[] = [];

  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.command('FLUSHALL');
    folder = temporaryFolder('cli-hosts');
    environment = { LIBRETTO_STATE: redis.url };
    for (const name of ['one', 'two']) {
      mkdirSync(folder.at('sources', name, name), { recursive: true });
      writeFileSync(
        folder.at('sources', name, name, 'composer.json'),
        JSON.stringify({ name: `acme/${name}`, version: '1.0.0' }),
      );
    }
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ data: 'data', sourceRoots: [folder.at('sources')] }));
    token = String((await cli('token', 'create', '--description', 'CI', '--kind', 'write', '--json'))['token']);
  });
  afterEach(async () => {
    for (const server of running.splice(0)) {
      server.signal('SIGKILL');
      await server.ended;
    }
    await folder.remove();
  });

  const cli = async (...args: readonly string[]): Promise<Json> => {
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder.path, environment });
    expect([exitCode, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Json;
  };
  const serve = async (): Promise<Host> => {
    const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    running.push(server);
    return { server, url: (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0] };
  };
  const register = async (name: string): Promise<string> =>
    String((await cli('repository', 'add', folder.at('sources', name), '--type', 'directory', '--json'))['id']);
  const call = async ({ url }: Host, method: string, path: string): Promise<Json> =>
    (await (
      await fetch(`${url}/api/repositories/${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    ).json()) as Json;
  const stateOf = async (host: Host, repository: string, job: Json): Promise<unknown> =>
    (await call(host, 'GET', `${repository}/jobs/${String(job['id'])}`))['state'];
  const row = async (key: string): Promise<string> => String(await redis.command('HGET', 'libretto:state:rows', key));

  it('a host writes the last use of tokens without notifying the other, starts a sync during a build of the other, and joins its sync', async () => {
    const [one, two] = [await register('one'), await register('two')];
    const [here, there] = [await serve(), await serve()];
    for (const host of [here, there]) await call(host, 'GET', '');
    // one command: a quiet commit between two commands would count in one number alone
    const loud = async (): Promise<number> => {
      const [generation, quiet] = (await redis.command(
        'HMGET',
        'libretto:state:meta',
        'generation',
        'quiet',
      )) as string[];
      return Number(generation) - Number(quiet);
    };
    const before = await loud();
    await vi.waitFor(
      async () =>
        expect(await redis.command('HKEYS', 'libretto:state:rows')).toEqual(
          expect.arrayContaining([expect.stringMatching(/^token-use\//)]),
        ),
      { timeout: 60_000, interval: 50 },
    );
    expect(await loud()).toBe(before);

    // another build is running, so that requests take a while
    const lock: Lock = await takeLock(folder.at('data/build/lock'), () => new Date());
    const first = await call(here, 'POST', `${one}/sync`);
    await vi.waitFor(async () => expect(await stateOf(there, one, first)).toBe('running'), { timeout: 60_000 });
    const second = await call(there, 'POST', `${two}/sync`);
    expect((await call(there, 'POST', `${one}/sync`))['id']).toBe(first['id']);
    const beat = await row(`repository-active/${one}`);
    // a heartbeat of the job, while the other job waits
    await vi.waitFor(async () => expect(await row(`repository-active/${one}`)).not.toBe(beat), {
      timeout: 60_000,
      interval: 50,
    });
    expect([await stateOf(here, one, first), await stateOf(here, two, second)]).toEqual(['running', 'running']);
    await lock.release();
    await vi.waitFor(
      async () =>
        expect([await stateOf(there, one, first), await stateOf(there, two, second)]).toEqual([
          'succeeded',
          'succeeded',
        ]),
      { timeout: 60_000, interval: 50 },
    );
    expect(await row('lease/sync')).toBe('null');

    const stranger = { id: 'x', pid: 1, host: 'host-b', boot: 'b', startTicks: '1', since: '', version: '9.9.9' };
    const mark = `${Date.now() + 60_000} ${JSON.stringify({ ...stranger, serial: 1, role: 'later field' })}`;
    await redis.command('HSET', 'libretto:state:servers', 'x', mark);
    await vi.waitFor(
      async () => {
        const { publication, servers } = await cli('status', '--json');
        const serial = (publication as Json)['serial'];
        const own = { version: librettoVersion, serial, lag_seconds: 0 };
        expect(servers).toHaveLength(3);
        expect(servers).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ pid: here.server.pid, ...own }),
            expect.objectContaining({ pid: there.server.pid, ...own }),
            expect.objectContaining({ host: 'host-b', version: '9.9.9', serial: 1, lag_seconds: expect.any(Number) }),
          ]),
        );
        expect((servers as Json[]).find(({ host }) => host === 'host-b')?.['lag_seconds']).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    const { stdout } = await runCli(['status'], { cwd: folder.path, environment });
    expect(stdout).toMatch(/^server +host-b, process 1, 9\.9\.9, serves publication 1; the newest one is \d+ s old$/m);
  });

  it('one host runs the schedule; when it is killed, the other takes over and fails its running jobs', async () => {
    const one = await register('one');
    const [here, there] = [await serve(), await serve()];
    const holder = async (): Promise<number> => Number(/"owner":"\S+ (\d+) /.exec(await row('lease/schedule'))?.[1]);
    await vi.waitFor(async () => expect([here.server.pid, there.server.pid]).toContain(await holder()), {
      timeout: 60_000,
      interval: 50,
    });
    const [held, other] = (await holder()) === here.server.pid ? [here, there] : [there, here];
    const lock = await takeLock(folder.at('data/build/lock'), () => new Date());
    const job = await call(held, 'POST', `${one}/sync`);
    await vi.waitFor(async () => expect(await stateOf(other, one, job)).toBe('running'), { timeout: 60_000 });
    held.server.signal('SIGKILL');
    await held.server.ended;
    await vi.waitFor(async () => expect(await holder()).toBe(other.server.pid), { timeout: 60_000, interval: 50 });
    await vi.waitFor(async () => expect(await stateOf(other, one, job)).toBe('failed'), {
      timeout: 60_000,
      interval: 50,
    });
    await lock.release();
  });
});
