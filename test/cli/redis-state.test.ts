// Tests two servers with two data folders and one state in Redis: commands apply to both, and while Redis is gone,
// known tokens work for a limited time.

import { cpSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { freePort, startRedis, type RedisServer } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

interface Answer {
  readonly status: number;
  readonly remaining: string | null;
  readonly retryAfter: string | null;
}

async function ask(url: string, token: string): Promise<Answer> {
  const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return {
    status: response.status,
    remaining: response.headers.get('x-ratelimit-remaining'),
    retryAfter: response.headers.get('retry-after'),
  };
}

describe.skipIf(lacks('redis-server'))('the state in Redis', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let environment: Record<string, string>;
  const running: RunningCli[] = [];

  beforeAll(async () => void (redis = await startRedis([], 'hunter2')));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    folder = temporaryFolder('cli-redis-state');
    await redis.command('FLUSHALL');
    environment = { LIBRETTO_STATE: redis.url, LIBRETTO_STATE_GRACE: '2' };
  });
  afterEach(async () => {
    for (const server of running.splice(0)) {
      server.signal('SIGKILL');
      await server.ended;
    }
    await folder.remove();
  });

  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
  const serve = async (data: string): Promise<{ readonly server: RunningCli; readonly url: string }> => {
    const server = startCli(
      ['serve', '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--data', folder.at(data)],
      { cwd: folder.path, environment },
    );
    running.push(server);
    const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    await server.shows(/There is no user yet/); // the last row that a server writes at its start
    return { server, url };
  };
  const observe = async (server: RunningCli, url: string) => {
    const [, metrics = ''] = await server.shows(/Metrics: (http:\S+\/metrics)/);
    return {
      away: async (): Promise<string | undefined> =>
        /^libretto_state_away (\d)$/m.exec(await (await fetch(metrics)).text())?.[1],
      ready: async (): Promise<unknown> => (await fetch(`${url}/health/ready`)).json(),
    };
  };
  const build = async (): Promise<void> => {
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await run('build', 'hello')).toMatchObject({ exitCode: 0 });
  };
  const createToken = async (): Promise<{ readonly id: string; readonly token: string }> =>
    JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as { id: string; token: string };

  it('accepts a token on both servers with one shared limit, and a revocation applies to both (F8)', async () => {
    await build();
    cpSync(folder.at('var'), folder.at('other'), { recursive: true });
    const { id, token } = await createToken();
    const [one, other] = [await serve('var'), await serve('other')];
    expect(
      [await ask(one.url, token), await ask(other.url, token)].map(({ status, remaining }) => [status, remaining]),
    ).toEqual([
      [200, '999'],
      [200, '998'],
    ]);
    expect((await run('token', 'revoke', id)).exitCode).toBe(0);
    // each after its next poll
    for (const { url } of [one, other]) while ((await ask(url, token)).status !== 401) await delay(20);
    expect(existsSync(folder.at('var/state/data.mdb'))).toBe(false);
    for (const { server } of [one, other]) {
      const { stderr } = server.output();
      expect(stderr).toContain(
        'The Redis of the state may lose users, tokens and revocations: it stores nothing on disk',
      );
      expect(stderr).not.toContain('hunter2');
    }
  });

  it('serves known tokens while Redis is gone, for a limited time, and never an unknown one', async () => {
    await build();
    const [known, unknown] = [await createToken(), await createToken()];
    // the time is long enough for a slow machine
    environment = { ...environment, LIBRETTO_STATE_GRACE: '600' };
    const { server, url } = await serve('var');
    expect((await ask(url, known.token)).status).toBe(200);
    const { away, ready } = await observe(server, url);
    expect([await away(), await ready()]).toMatchObject(['0', { state: 'ok' }]);
    await redis.kill();
    expect((await ask(url, known.token)).status).toBe(200);
    expect(await ask(url, unknown.token)).toMatchObject({ status: 500, retryAfter: '5' });
    expect((await ask(url, `${known.token.slice(0, -1)}${known.token.endsWith('0') ? '1' : '0'}`)).status).toBe(401);
    await server.shows(/The Redis of the state cannot be used \(.+\)\. Known tokens stay valid for \d+ more seconds/);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'degraded', state: 'away' });
    expect([await away(), await ready()]).toMatchObject([
      '1',
      { status: 'ready', state: 'grace', grace_seconds_left: expect.any(Number) as number },
    ]);
    expect(server.output().stderr).not.toContain('hunter2');
    await redis.restart();
  });

  itInSeries('says once that Redis is away, and that it is back once it has stayed', async () => {
    await build();
    const { server } = await serve('var');
    for (let times = 0; times < 3; times += 1) {
      redis.freeze();
      if (times === 0) await server.shows(/The Redis of the state cannot be used/);
      await delay(1500);
      redis.thaw();
      await delay(1500);
    }
    await server.shows(/The Redis of the state is back/);
    const { stderr } = server.output();
    expect(stderr.match(/cannot be used|is back/g)).toEqual(['cannot be used', 'is back']);
  });

  itInSeries('serves no token once Redis is gone for longer than the grace period', async () => {
    await build();
    const { token } = await createToken();
    const { server, url } = await serve('var');
    expect((await ask(url, token)).status).toBe(200);
    const { away, ready } = await observe(server, url);
    await redis.kill();
    await expect.poll(ready, { timeout: 60_000 }).toMatchObject({ code: 'NOT_SERVING' });
    expect([await away(), await ready()]).toMatchObject([
      '1',
      { code: 'NOT_SERVING', details: { state: 'unreadable' } },
    ]);
    expect(await ask(url, token)).toMatchObject({ status: 500, retryAfter: '5' });
    await redis.restart();
  });

  it('contains users, settings, repositories and the audit log, and reading creates nothing', async () => {
    expect(await run('token', 'list', '--json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no state in redis://') as string,
    });
    expect(await redis.command('DBSIZE')).toBe(0);
    expect(
      (await run('user', 'create', '--email', 'ada@example.org', '--role', 'admin', '--invite', '--json')).exitCode,
    ).toBe(0);
    expect((await run('settings', 'set', 'limits.read', '7')).exitCode).toBe(0);
    const { id } = await createToken();
    expect(JSON.parse((await run('token', 'show', id, '--json')).stdout)).toMatchObject({ effective_rate_limit: 7 });
    expect(await run('audit', 'verify')).toMatchObject({ exitCode: 0 });
    expect((await run('user', 'list', '--json')).stdout).toContain('ada@example.org');
  });

  itInSeries('is in a backup, which can be restored to a data folder or to another Redis', async () => {
    await build();
    const { id } = await createToken();
    expect(await run('backup', 'kept')).toMatchObject({ exitCode: 0 });
    expect(await runCli(['restore', 'kept', '--data', 'alone'], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
    expect((await runCli(['token', 'list', '--data', 'alone'], { cwd: folder.path })).stdout).toContain(id);
    const shared = ['--data', 'shared', '--state', `${redis.url}/1`];
    expect(await run('restore', 'kept', ...shared)).toMatchObject({ exitCode: 0 });
    expect((await run('token', 'list', ...shared)).stdout).toContain(id);
    expect(await run('audit', 'verify', ...shared)).toMatchObject({ exitCode: 0 });
    expect(existsSync(folder.at('shared/state'))).toBe(false);
    expect(await run('restore', 'kept', '--data', 'more', '--state', `${redis.url}/1`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('already contains a state') as string,
    });
    expect(existsSync(folder.at('more/public'))).toBe(false);
  });

  it('gives exit code 2 for a wrong password, and 75 for an unreachable server, since that may pass', async () => {
    for (const [url, message, code] of [
      [`redis://:wrong-one@127.0.0.1:${redis.port}`, /LIBRETTO_STATE/, 2],
      [`redis://127.0.0.1:${await freePort()}`, /ECONNREFUSED/, 75],
    ] as const) {
      const { exitCode, stderr } = await run('serve', '--listen', '127.0.0.1:0', '--state', url);
      expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringMatching(message) as string });
      expect(stderr).toMatch(/^libretto: The state in redis:\/\/127\.0\.0\.1:\d+ cannot be used: /m);
      expect(stderr).not.toContain('wrong-one');
    }
  });
});
