// Tests two servers behind sentinels, and two with a cluster: the primary is killed, and the servers continue with the
// replica. Valid tokens stay valid, revoked ones stay revoked, and limits keep their counts.

import { cpSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startCluster, type RedisCluster } from '../util/redis-cluster.ts';
import { startSentinels, type RedisSentinels } from '../util/redis-sentinels.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const kinds = [
  ['sentinels', startSentinels, { 'redis.state.sentinels': 'ok: All 3 sentinels answer' }],
  ['a cluster', startCluster, { 'redis.state.cluster': 'ok: All slots are on 3 primaries' }],
] as const;

describe.skipIf(lacks('redis-server')).each(kinds)('the state with %s', (_kind, start, healthy) => {
  let folder: TemporaryFolder;
  let redis: RedisSentinels | RedisCluster;
  let environment: Record<string, string>;
  const running: RunningCli[] = [];

  beforeEach(async () => {
    folder = temporaryFolder('cli-sentinel');
    redis = await start('hunter2');
    environment = { LIBRETTO_STATE: redis.url };
  });
  afterEach(async () => {
    for (const server of running.splice(0)) {
      server.signal('SIGKILL');
      await server.ended;
    }
    await redis.stop();
    await folder.remove();
  });

  const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path, environment });
  const serve = async (data: string): Promise<string> => {
    const server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', folder.at(data)], {
      cwd: folder.path,
      environment,
    });
    running.push(server);
    const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
    return url;
  };
  const createToken = async (): Promise<{ readonly id: string; readonly token: string }> =>
    JSON.parse((await run('token', 'create', '--description', 'x', '--json')).stdout) as { id: string; token: string };
  const ask = async (url: string, token: string): Promise<readonly [number, number]> => {
    const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
  };
  const health = async (url: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>;
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await delay(50);
  };

  it('continues on the replica: valid tokens work, revoked ones do not, and counts continue', async () => {
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await run('build', 'hello')).toMatchObject({ exitCode: 0 });
    cpSync(folder.at('var'), folder.at('other'), { recursive: true });
    const [known, revoked] = [await createToken(), await createToken()];
    const [one, other] = [await serve('var'), await serve('other')];
    expect([await ask(one, known.token), await ask(other, known.token)]).toEqual([
      [200, 999],
      [200, 998],
    ]);
    expect((await ask(other, revoked.token))[0]).toBe(200);
    expect((await run('token', 'revoke', revoked.id)).exitCode).toBe(0);

    const doctor = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (
          JSON.parse((await run('doctor', '--json')).stdout) as {
            checks: { check: string; verdict: string; message: string }[];
          }
        ).checks.map(({ check, verdict, message }) => [check, `${verdict}: ${message}`]),
      );
    expect(await doctor()).toMatchObject({
      ...healthy,
      'redis.state.replicas': 'ok: It has 1 replica',
      'redis.state.writable': 'ok: It accepts writes',
    });

    await redis.primary.kill();
    expect((await ask(one, known.token))[0]).toBe(200);
    expect((await ask(other, revoked.token))[0]).not.toBe(200);
    expect(await health(one)).toMatchObject({ status: 'degraded', counters: 'local' });
    // known tokens are served from the first request on
    expect((await fetch(`${one}/health/ready`)).status).toBe(200);

    await redis.failedOver();
    for (const url of [one, other]) await until(async () => (await health(url))['counters'] === 'ok');
    await until(async () => (await run('token', 'list')).exitCode === 0);
    const fresh = await createToken();
    for (const url of [one, other]) {
      await until(async () => (await ask(url, fresh.token))[0] === 200);
      expect((await ask(url, revoked.token))[0]).toBe(401);
    }
    const [status, remaining] = await ask(other, known.token);
    expect(status).toBe(200);
    expect(remaining).toBeLessThanOrEqual(997);
    expect(await doctor()).toMatchObject({ 'redis.state.replicas': 'warning: The primary has no replica.' });
    for (const server of running) expect(server.output().stderr).not.toContain('hunter2');
  });
});
