// Measures requests a second against nginx, which serves the same files: as usual, and tuned with open_file_cache and
// without a log. All other servers count requests, and write the request log to a file unless a row says otherwise. A
// second ratio compares the processor time per request, which means more on a shared machine.

import { join } from 'node:path';
import { copyOf, makeTree, paths } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

/** The requested paths, the servers, and the promised lowest ratio to nginx. */
const rows = [
  { what: 'p2', path: paths.p2, servers: { memory: 0.6, 'memory, no log': 0.75, redis: 0.4, 'redis, no log': 0.5 } },
  { what: 'packages.json, gzip', path: paths.root, headers: { 'Accept-Encoding': 'gzip' }, servers: { memory: 0.95 } },
  { what: '304', path: paths.p2, conditional: true, servers: { memory: 0.9 } },
  { what: 'dist of 20 KB', path: paths.small, servers: { memory: 0.6 } },
];

/** The promised highest p99, as a multiple of nginx's. */
const mostP99 = 2;

export async function requests({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const redis = await servers.redis();
  // each that counts for itself has a folder of its own; those that count in a Redis share one
  const [silent, counted] = ['data-silent', 'data-counted'].map((name) => copyOf(data, join(folder, name)));
  const all = {
    nginx: await servers.nginx(data, token),
    'tuned nginx': await servers.nginx(data, token, { tuned: true }),
    memory: await servers.proxy(data, { log: join(folder, 'memory.log') }),
    'memory, no log': await servers.proxy(silent, { log: 'none' }),
    redis: await servers.proxy(counted, { log: join(folder, 'redis.log'), flags: ['--redis', redis] }),
    'redis, no log': await servers.proxy(counted, { log: 'none', flags: ['--redis', redis] }),
  };
  const figures = [];
  for (const row of rows) {
    say(`${row.what} …`);
    figures.push(...(await measureRow(row, all, { token, rounds, seconds: quick ? 2 : 4 })));
  }
  return figures;
}

async function measureRow({ what, path, headers = {}, conditional = false, servers }, all, { token, rounds, seconds }) {
  const runs = {};
  for (const name of ['nginx', 'tuned nginx', ...Object.keys(servers)]) {
    const asked = {
      Authorization: `Bearer ${token}`,
      ...headers,
      ...(conditional ? await validatorOf(all[name].url + path, token) : {}),
    };
    await wrk(all[name], path, asked, 1);
    runs[name] = () => wrk(all[name], path, asked, seconds);
  }
  const { nginx, 'tuned nginx': tuned, ...ours } = await inTurns(runs, rounds);
  const rateOf = ({ rate, microseconds }, beside, other) => ({
    unit: '/s',
    value: rate,
    besideValue: other.rate,
    beside,
    ours: rate / other.rate,
    microseconds,
    processor: other.microseconds / microseconds,
  });
  return Object.entries(ours).flatMap(([name, own]) => [
    { what: `${what}, ${name}`, ...rateOf(own, 'nginx', nginx), atLeast: servers[name] },
    { what: '  the same', ...rateOf(own, 'tuned nginx', tuned) },
    {
      what: `${what}, ${name}: p99`,
      unit: 'ms',
      value: own.p99,
      besideValue: nginx.p99,
      beside: 'nginx',
      ours: own.p99 / nginx.p99,
      atMost: mostP99,
    },
  ]);
}

/** The headers that make the server answer 304. */
async function validatorOf(url, token) {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return { 'If-Modified-Since': answer.headers.get('last-modified') };
}
