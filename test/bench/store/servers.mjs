// Measures servers without a disk: start, memory, documents and archives that they have to fetch or have in memory, and
// the commands of Redis for an install.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, run } from '../measure.mjs';
import { residentMb } from '../serve/servers.mjs';

const asked = 300;
const versions = 20;
const atOnce = 16;
/** Servers also talk to a Redis without requests. */
const idleMs = 10_000;

/** Starts a server without packages on its disk. */
export function statelessServer({ folder, bucket, servers, redis, env }, name) {
  const data = join(folder, name);
  mkdirSync(data);
  const flags = ['--origin', bucket.address, '--state', redis];
  return servers.proxy(data, { log: join(folder, `${name}.log`), flags, env });
}

/** A token in the Redis. */
export async function tokenIn({ folder, redis }) {
  const limits = ['--description', 'bench', '--limit', '1000000000', '--json'];
  const data = join(folder, 'token');
  mkdirSync(data, { recursive: true });
  const args = [binary, 'token', 'create', '--data', data, '--state', redis, ...limits];
  return JSON.parse(await run(process.execPath, args, { cwd: folder, env: bare })).token;
}

/** GET with the whole body; milliseconds. */
export async function timedGet(url, token) {
  const from = performance.now();
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return performance.now() - from;
}

export async function serversRow(registry) {
  const { bucket, tree, redis } = registry;
  const token = await tokenIn(registry);
  bucket.spent();
  const server = await statelessServer(registry, 'one');
  const starting = bucket.spent();
  const started = residentMb(server.processId);
  const documents = tree.names.slice(0, asked).map((name) => `${server.url}/p2/${name}.json`);
  const cold = await eachOf(documents, token);
  const coldSpent = bucket.spent();
  const warm = await eachOf(documents, token);
  const warmSpent = bucket.spent();
  // packages share the bytes of their archives, and the versions of one package do not
  const archives = Array.from({ length: versions }, (_, at) => `${server.url}/dist/${tree.names[0]}/1.${at}.0.zip`);
  const archive = await eachOf(archives, token);
  const archiveSpent = bucket.spent();
  const commands = await commandsOfRequests(redis, () => eachOf([...documents, ...archives], token));
  bucket.spent();
  await inParallel(tree.names, (name) => timedGet(`${server.url}/p2/${name}.json`, token));
  const allSpent = bucket.spent();
  const figure = (what, unit, value, promise = {}) => ({ what, unit, value, ours: value, ...promise });
  return [
    figure('ready', 'ms', server.readyMs, { atMost: 1000 }),
    figure('  its requests of class B', '', starting.b),
    figure('  in memory then', 'MB', started, { atMost: 200 }),
    figure('p2 that the server fetches, median', 'ms', at(cold, 0.5)),
    figure('  p99', 'ms', at(cold, 0.99)),
    figure('  requests of class B each', '', (coldSpent.b - coldSpent.heads) / asked),
    figure('p2 from memory, median', 'ms', at(warm, 0.5)),
    figure('  p99', 'ms', at(warm, 0.99)),
    figure('  requests of class B each', '', (warmSpent.b - warmSpent.heads) / asked),
    figure('archive that the server fetches, median', 'ms', at(archive, 0.5)),
    figure('  requests of class B each', '', (archiveSpent.b - archiveSpent.heads) / versions),
    figure('commands of Redis for a request', '', commands.perRequest / (asked + versions)),
    figure('  for a minute without requests', '', commands.perMinute),
    figure(`after all ${tree.names.length} documents: in memory`, 'MB', residentMb(server.processId)),
    figure('  requests of class B each', '', (allSpent.b - allSpent.heads) / (tree.names.length - asked)),
  ];
}

/** One after the other; sorted milliseconds. */
async function eachOf(urls, token) {
  const times = [];
  for (const url of urls) times.push(await timedGet(url, token));
  return times.sort((one, other) => one - other);
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** `work`: its commands, without those that come without it. */
async function commandsOfRequests(redis, work) {
  const idleFrom = await commandsOf(redis);
  await sleep(idleMs);
  const [from, startedAt] = [await commandsOf(redis), performance.now()];
  await work();
  await sleep(idleMs);
  const perMs = (from - idleFrom) / idleMs;
  const all = (await commandsOf(redis)) - from;
  return { perRequest: all - perMs * (performance.now() - startedAt), perMinute: perMs * 60_000 };
}

/** Those of scripts included. */
async function commandsOf(redis) {
  const stats = await run('redis-cli', ['-u', redis, 'info', 'stats']);
  return Number(/total_commands_processed:(\d+)/.exec(stats)[1]);
}

async function inParallel(items, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < items.length) await work(items[next++]);
    }),
  );
}
