// Measures the start with a tree of 10 000 packages × 20 versions. A second row measures the time until a publication
// of one package is served under load.

import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../measure.mjs';
import { residentMb } from './servers.mjs';
import { makeLargeTree, publishAgain } from './trees.mjs';

export async function start({ folder, rounds, quick, servers, say }) {
  say('a tree of 10 000 packages …');
  const tree = await makeLargeTree(folder, 10_000);
  const log = join(folder, 'requests.log');
  const [ready, resident, bareReady, bareResident] = [[], [], [], []];
  let server;
  for (let round = 0; round < rounds; round += 1) {
    await server?.stop();
    const bare = await servers.proxy(tree.data, { log, flags: ['--features', 'none'] });
    bareReady.push(bare.readyMs);
    bareResident.push(residentMb(bare.processId));
    await bare.stop();
    server = await servers.proxy(tree.data, { log });
    ready.push(server.readyMs);
    resident.push(residentMb(server.processId));
  }
  const client = createClient(server.url, tree.token);
  for (const name of tree.names.slice(0, quick ? 1000 : undefined)) await client.ask(`/p2/${name}.json`);
  const full = residentMb(server.processId);
  const seen = [];
  const slowest = [];
  for (let round = 0; round < rounds; round += 1) {
    const publication = await seePublication(tree, client, round + 2);
    seen.push(publication.seenMs);
    slowest.push(publication.slowestMs);
  }
  client.close();
  return [
    { what: 'ready with 10 000 packages', unit: 'ms', value: median(ready), ours: median(ready), atMost: 1000 },
    { what: 'in memory then', unit: 'MB', value: median(resident), ours: median(resident), atMost: 200 },
    { what: 'ready without features', unit: 'ms', value: median(bareReady), ours: median(bareReady), atMost: 150 },
    { what: 'in memory then', unit: 'MB', value: median(bareResident), ours: median(bareResident), atMost: 70 },
    { what: 'in memory when all were asked for', unit: 'MB', value: full, ours: full },
    { what: 'a publication is seen after', unit: 'ms', value: median(seen), ours: median(seen), atMost: 50 },
    { what: 'slowest request meanwhile', unit: 'ms', value: median(slowest), ours: median(slowest), atMost: 20 },
  ];
}

/** Requests one package again and again, and others in between, until half a second after its publication. */
async function seePublication({ data, names }, client, serial) {
  const [name, ...others] = names;
  const old = (await client.ask(`/p2/${name}.json`)).etag;
  await sleep(100);
  let slowestMs = 0;
  let seenAt;
  const publishedAt = publishAgain(data, name, serial);
  for (let step = 0; performance.now() < publishedAt + 500; step += 1) {
    const asked = performance.now();
    const { etag } = await client.ask(`/p2/${name}.json`);
    if (seenAt === undefined && etag !== old) seenAt = performance.now();
    slowestMs = Math.max(slowestMs, performance.now() - asked);
    await client.ask(`/p2/${others[step % others.length]}.json`);
  }
  if (seenAt === undefined) throw new Error('a publication was not seen within half a second');
  return { seenMs: seenAt - publishedAt, slowestMs };
}

/** Over one connection. */
function createClient(url, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const sent = request(url + path, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
        answer.on('error', reject);
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve({ etag: answer.headers.etag })
            : reject(new Error(`${path}: ${answer.statusCode}`)),
        );
        answer.resume();
      });
      sent.on('error', reject);
      sent.end();
    });
  return { ask, close: () => agent.destroy() };
}
