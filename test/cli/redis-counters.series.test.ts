// Tests a server whose Redis for the counters goes away and returns: no request fails, limits apply, /health reports
// it, and the log does so once (rows 80 and 83, F6).

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { eventually } from '../util/eventually.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { logLines, runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { startTcpProxy } from '../util/tcp-proxy.ts';
import { lacks } from '../util/tool.ts';

describe.skipIf(lacks('redis-server'))('a server that counts in Redis', () => {
  let folder: TemporaryFolder;
  let redis: RedisServer;
  let server: RunningCli | undefined;

  beforeEach(async () => {
    folder = temporaryFolder('cli-redis-counters');
    redis = await startRedis();
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect(await runCli(['build', 'hello'], { cwd: folder.path })).toMatchObject({ exitCode: 0 });
  });
  afterEach(async () => {
    server?.signal('SIGKILL');
    await server?.ended;
    redis.thaw();
    await redis.stop();
    await folder.remove();
  });

  const createToken = async (...options: readonly string[]): Promise<string> =>
    (
      JSON.parse(
        (await runCli(['token', 'create', '--description', 'x', '--json', ...options], { cwd: folder.path })).stdout,
      ) as { token: string }
    ).token;
  const serve = async (redisUrl = redis.url): Promise<string> => {
    server = startCli(['serve', '--listen', '127.0.0.1:0', '--redis', redisUrl, '--log', 'requests.log'], {
      cwd: folder.path,
    });
    return (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
  };
  const statuses = async (url: string, token: string, count: number): Promise<readonly number[]> => {
    const ask = async (): Promise<number> => {
      const response = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}` } });
      await response.arrayBuffer();
      return response.status;
    };
    return (await Promise.all(Array.from({ length: count }, ask))).sort((a, b) => a - b);
  };
  const counters = async (url: string): Promise<unknown> => {
    const { status, counters: how } = (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>;
    return [status, how];
  };
  const until = async (url: string, wanted: string): Promise<void> => {
    while (((await counters(url)) as string[])[1] !== wanted) await delay(20);
    expect(await counters(url)).toEqual([wanted === 'ok' ? 'ok' : 'degraded', wanted]);
  };

  it.each([
    ['frozen', () => redis.freeze(), () => redis.thaw(), 1],
    ['killed', () => redis.kill(), () => redis.restart(), 4],
  ])('row 80: keeps its limits while Redis is %s, and after its return', async (_name, lose, mend, attempts) => {
    await using line = await startTcpProxy(redis.port);
    const token = await createToken('--limit', '100');
    const url = await serve(`redis://127.0.0.1:${line.port}`);
    const accepted = line.accepted();
    expect(await statuses(url, token, 10)).toEqual(Array.from({ length: 10 }, () => 200));
    await lose();
    expect(await statuses(url, token, 40)).toEqual(Array.from({ length: 40 }, () => 200));
    await until(url, 'local');
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    // the limit still applies
    expect(await statuses(url, token, 60)).toEqual([
      ...Array.from({ length: 50 }, () => 200),
      ...Array.from({ length: 10 }, () => 429),
    ]);
    // attempts to use Redis again fail in between
    await eventually(() => line.accepted() >= accepted + attempts);
    await mend();
    await until(url, 'ok');
    expect(await statuses(url, token, 1)).toEqual([429]);
    server?.signal('SIGTERM');
    await server?.ended;
    const notices = logLines(readFileSync(folder.at('requests.log'), 'utf8'))
      .map((line) => line['counters'] as { state: string } | undefined)
      .filter((notice) => notice !== undefined);
    expect(notices.map(({ state }) => state)).toEqual(['degraded', 'recovered']);
    expect(server?.output().stderr.match(/^Degraded: Redis cannot be used/gm)).toHaveLength(1);
  });

  it('row 83: gives every counter of many tokens an end', async () => {
    const tokens = await Promise.all(Array.from({ length: 6 }, () => createToken()));
    const url = await serve();
    for (const token of tokens) expect(await statuses(url, token, 5)).toEqual([200, 200, 200, 200, 200]);
    const keys = ((await redis.command('KEYS', '*')) as string[]).filter((key) => key !== 'libretto:count:trial');
    expect(keys).toHaveLength(tokens.length);
    for (const key of keys) expect(Number(await redis.command('PTTL', key)), key).toBeGreaterThan(0);
  });
});
