// Tests 1200 simultaneous requests against a limit of 1000: exactly 1000 are served and 200 refused (F5), however many
// processes share the count.

import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { serveTree, startRegistry, type Registry, type RunningServer } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';

const source = temporaryTree(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));

afterAll(() => source.remove());

describe('F5: a limit counted in process', () => {
  let registry: Registry;

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(() => registry.stop());

  it('is exact', async () => {
    const { token } = await registry.createToken('--limit', '1000');
    expect(await flood([registry.direct()], token)).toEqual({ 200: 1000, 429: 200 });
  });

  it('is kept across a clean restart', async () => {
    const { token } = await registry.createToken('--limit', '1000');
    expect(await flood([registry.direct()], token, 900)).toEqual({ 200: 900 });
    await registry.stopServer();
    await registry.startServer();
    expect(await flood([registry.direct()], token, 300)).toEqual({ 200: 100, 429: 200 });
  });
});

describe.skipIf(lacks('redis-server'))('F5, row 83: a limit counted in Redis by four processes', () => {
  let redis: RedisServer;
  let registry: Registry;
  const others: RunningServer[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    registry = await startRegistry({ sources: [source.root], serve: ['--redis', redis.url] });
    for (let index = 0; index < 3; index += 1)
      others.push(await serveTree(registry.folder.path, registry.data, ['--redis', redis.url]));
  });

  afterAll(async () => {
    for (const server of others) await server.stop();
    await registry.stop();
    await redis.stop();
  });

  it('is exact', async () => {
    const servers = [registry.direct(), ...others.map(({ url }) => url)];
    expect(await floodInRedis(servers)).toEqual({ 200: 1000, 429: 200 });
  });

  /** Once more where Redis did not answer in time on a busy machine: then each process counts alone (I12). */
  async function floodInRedis(servers: readonly string[], triesLeft = 4): Promise<Record<number, number>> {
    const outages = countOutages();
    const { token } = await registry.createToken('--limit', '1000');
    const counts = await flood(servers, token);
    if (countOutages() === outages || triesLeft === 0) return counts;
    const isShared = async (url: string): Promise<boolean> =>
      (await (await fetch(`${url}/health`)).text()).includes('"counters":"ok"');
    await expect.poll(async () => Promise.all(servers.map(isShared))).not.toContain(false);
    return floodInRedis(servers, triesLeft - 1);
  }

  function countOutages(): number {
    const lines = [registry, ...others].flatMap(({ log }) => log());
    return lines.filter((line) => (line['counters'] as { state?: string } | undefined)?.state === 'degraded').length;
  }
});

/** Sends all requests at once, spread over the servers; status → count. */
async function flood(servers: readonly string[], token: string, count = 1200): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const statuses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      statusOf(`${servers[index % servers.length]}/packages.json`, token, agent),
    ),
  );
  agent.destroy();
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function statusOf(url: string, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}
