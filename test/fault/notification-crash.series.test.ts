// Tests that no event is lost (I22, row 94): the server is killed while it sends, a receiver is slow, and three servers
// share one state. `npm run fault` kills more often.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { startServing, type RunningCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { answering, startReceiver, type WebhookReceiver } from '../util/webhook-receiver.ts';

const kills = Number(process.env['NOTIFICATION_KILLS'] ?? 2);
const versionsAtOnce = 12;

let receiver: WebhookReceiver;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());
beforeEach(() => {
  receiver.forget();
  receiver.answer(answering(204));
});

async function publish(registry: ManagedRegistry, from: number): Promise<readonly string[]> {
  const versions = Array.from({ length: versionsAtOnce }, (_, at) => `1.${from + at}.0`);
  for (const version of versions) writeTree(registry.folder.at('src', version), libraryTree('acme/tool', { version }));
  const { exitCode, stderr } = await registry.cli('build', 'src');
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, '']);
  return versions;
}

async function make(registry: ManagedRegistry, path: string): Promise<string> {
  const body = { url: `${receiver.url}${path}`, events: ['package.version.published'] };
  const { status, json } = await registry.api('POST', '/api/notifications', body);
  expect(status, JSON.stringify(json)).toBe(201);
  return String(json['id']);
}

/** Each published version with the ids of the requests that told it, over all attempts. */
function told(path: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path: at, body, headers } of receiver.requests) {
    if (at !== path) continue;
    const { version } = (JSON.parse(body) as { data: { version: string } }).data;
    found.set(version, [...(found.get(version) ?? []), headers['webhook-id'] ?? '']);
  }
  return found;
}

const complete = (path: string, versions: readonly string[]): Promise<void> =>
  vi.waitFor(() => expect([...told(path).keys()].toSorted()).toEqual(versions.toSorted()), {
    timeout: 120_000,
    interval: 20,
  });

describe('a server that is killed', () => {
  let registry: ManagedRegistry;
  beforeEach(async () => {
    registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
  });
  afterEach(() => registry[Symbol.asyncDispose]());

  it(`${kills} times while it sends tells every event, each with one id; a slow receiver changes nothing`, async () => {
    await make(registry, '/fast');
    await make(registry, '/slow');
    receiver.answer((response, { path }) => {
      setTimeout(() => void response.writeHead(204).end(), path === '/slow' ? 150 : 1);
    });
    const versions: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const before = receiver.requests.length;
      versions.push(...(await publish(registry, versions.length)));
      // at another moment each time: before the first request, in the middle, and near the end
      const until = before + ((kill * 7) % (2 * versionsAtOnce));
      await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(until), {
        timeout: 120_000,
        interval: 10,
      });
      await registry.stop('SIGKILL');
      await registry.start();
    }
    for (const path of ['/fast', '/slow']) {
      await complete(path, versions);
      for (const [version, ids] of told(path)) expect(new Set(ids).size, version).toBe(1);
      const ids = [...told(path).values()].map(([id]) => id);
      expect(new Set(ids).size).toBe(versions.length);
    }
    expect([...told('/fast')].map(([version, [id]]) => [version, id]).toSorted()).toEqual(
      [...told('/slow')].map(([version, [id]]) => [version, id]).toSorted(),
    );
  }, 300_000);

  it('after a build tells what it published while no server ran', async () => {
    await make(registry, '/later');
    await registry.stop('SIGKILL');
    const versions = [...(await publish(registry, 0)), ...(await publish(registry, versionsAtOnce))];
    await registry.start();
    await complete('/later', versions);
  }, 300_000);
});

describe.skipIf(lacks('redis-server'))('three servers with one state and one data folder', () => {
  let redis: RedisServer;
  let registry: ManagedRegistry;
  const others: RunningCli[] = [];
  beforeAll(async () => {
    redis = await startRedis();
    registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] }, state: redis.url });
    for (let at = 0; at < 2; at += 1) {
      const { server } = await startServing(['serve', '--listen', '127.0.0.1:0'], { cwd: registry.folder.path });
      others.push(server);
    }
  });
  afterAll(async () => {
    for (const other of others) {
      other.signal('SIGTERM');
      await other.ended;
    }
    await registry[Symbol.asyncDispose]();
    await redis.stop();
  });

  it('tell each event once while all of them live, and lose none when the one that sends is killed', async () => {
    await make(registry, '/three');
    const versions: string[] = [];
    // A sender that the machine stops for half a minute loses its lease, and its successor may tell an event again
    // (I22). So one turn of several must be without repetition; three senders would repeat events in each.
    let repeated: readonly string[] = ['no turn'];
    for (let turn = 0; turn < 5 && repeated.length > 0; turn += 1) {
      const news = await publish(registry, versions.length);
      versions.push(...news);
      await complete('/three', versions);
      // time for a second server to tell them again
      await new Promise((resolve) => void setTimeout(resolve, 2500));
      repeated = news.filter((version) => told('/three').get(version)?.length !== 1);
    }
    expect(repeated).toEqual([]);
    const holder = String(await redis.command('HGET', 'libretto:state:rows', 'lease/notifications'));
    const owner = Number(/"owner":"\S+ (\d+) /.exec(holder)?.[1]);
    const sending = others.find(({ pid }) => pid === owner);
    receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 50));
    const before = receiver.requests.length;
    versions.push(...(await publish(registry, versions.length)));
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(before), {
      timeout: 120_000,
      interval: 10,
    });
    if (sending === undefined) {
      await registry.stop('SIGKILL');
      await registry.start();
    } else {
      sending.signal('SIGKILL');
      await sending.ended;
    }
    await complete('/three', versions);
    for (const [version, ids] of told('/three')) expect(new Set(ids).size, version).toBe(1);
  }, 600_000);
});
