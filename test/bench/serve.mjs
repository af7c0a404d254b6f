// Requests a second of a p2 document and of a small dist, through the proxy and through nginx, measured with wrk in turns.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTool } from '../setup/tools.mjs';
import { binary, median, run, table, withFolder } from './measure.mjs';

const expected = { 'p2 memory': 0.55, 'p2 redis': 0.35 };
const bare = { PATH: process.env.PATH, HOME: '/nonexistent' };

export const benchServe = ({ rounds, say }) =>
  withFolder(async (folder) => {
    for (const tool of ['wrk', 'nginx', 'redis-server']) if (findTool(tool) === undefined) throw new Error(`${tool} is needed for this: apt-get install ${tool}`);
    const stops = [];
    try {
      const { data, token } = await makeTree(folder);
      const redisPort = await freePort();
      stops.push(start('redis-server', ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]));
      const servers = {
        nginx: await startNginx(folder, data, token, stops),
        memory: await startProxy(folder, data, 'memory', [], stops),
        redis: await startProxy(folder, data, 'redis', ['--redis', `redis://127.0.0.1:${redisPort}`], stops),
      };
      return await measureAll({ rounds, say, servers, token, seconds: rounds === 1 ? 2 : 4 });
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  });

/** A package of ten versions with a few files, so that its p2 document and its archives have everyday sizes. */
async function makeTree(folder) {
  const source = join(folder, 'source');
  for (let minor = 0; minor < 10; minor += 1) {
    const at = join(source, `1.${minor}.0`);
    mkdirSync(join(at, 'src'), { recursive: true });
    writeFileSync(join(at, 'composer.json'), JSON.stringify({ name: 'bench/small', description: 'A small package', license: 'MIT', require: { php: '>=8.1' }, autoload: { 'psr-4': { 'Bench\\': 'src/' } } }));
    for (let file = 0; file < 6; file += 1) writeFileSync(join(at, `src/Class${file}.php`), `<?php\n\nnamespace Bench;\n\nfinal class Class${file}\n{\n${Array.from({ length: 30 }, (_, line) => `    public const C${line} = ${(line * 7919 + file * 104_729 + minor) % 99_991};`).join('\n')}\n}\n`);
  }
  const data = join(folder, 'data');
  await run(process.execPath, [binary, 'build', source, '--data', data], { cwd: folder, env: bare });
  const made = await run(process.execPath, [binary, 'token', 'create', '--data', data, '--description', 'bench', '--limit', '1000000000', '--json'], { cwd: folder, env: bare });
  return { data, token: JSON.parse(made).token };
}

async function startProxy(folder, data, name, flags, stops) {
  const port = await freePort();
  stops.push(start(process.execPath, [binary, 'serve', '--data', data, '--listen', `127.0.0.1:${port}`, ...flags], { cwd: folder, env: { ...bare, LIBRETTO_LOG: join(folder, `${name}.log`) } }));
  return await reachable(`http://127.0.0.1:${port}`);
}

async function startNginx(folder, data, token, stops) {
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${temporary}
  types { application/json json; application/zip zip; }
  access_log ${folder}/access.log combined buffer=64k flush=1s;
  sendfile on; keepalive_requests 1000000; map_hash_bucket_size 128;
  map $http_authorization $refused { default 1; "Bearer ${token}" 0; }
  server { listen 127.0.0.1:${port}; root ${data}/public; if ($refused) { return 401; } }
}
`,
  );
  stops.push(start(findTool('nginx'), ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log'), '-g', `daemon off;${process.getuid() === 0 ? ' user root;' : ''}`]));
  return await reachable(`http://127.0.0.1:${port}`);
}

async function measureAll({ rounds, say, servers, token, seconds }) {
  const paths = { p2: '/p2/bench/small.json', dist: '/dist/bench/small/1.9.0.zip' };
  const samples = {};
  for (const url of Object.values(servers)) for (const path of Object.values(paths)) await wrk(`${url}${path}`, token, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, path] of Object.entries(paths)) {
      for (const [name, url] of Object.entries(servers)) (samples[`${kind} ${name}`] ??= []).push(await wrk(`${url}${path}`, token, seconds));
    }
    say(`round ${round + 1} of ${rounds} done`);
  }
  const result = Object.fromEntries(Object.entries(samples).map(([key, all]) => [key, { requests_per_second: median(all.map(({ rate }) => rate)), p99_ms: median(all.map(({ p99 }) => p99)) }]));
  for (const [key, figures] of Object.entries(result)) figures.ratio_to_nginx = figures.requests_per_second / result[`${key.split(' ')[0]} nginx`].requests_per_second;
  say(`\nwrk -t1 -c32, median of ${rounds} rounds of ${seconds} s:\n${table(Object.entries(result).map(([what, figures]) => row(what, figures)))}\n`);
  return result;
}

const row = (what, { requests_per_second: rate, p99_ms: p99, ratio_to_nginx: ratio }) => ({
  what, 'requests/s': rate.toFixed(0), 'p99 ms': p99.toFixed(2), 'of nginx': ratio.toFixed(3), expected: expected[what] === undefined ? '' : `≥ ${expected[what]}`,
});

/** One run; throws where any answer was not a 200. */
async function wrk(url, token, seconds) {
  const output = await run('wrk', ['-t1', '-c32', `-d${seconds}s`, '--latency', '-H', `Authorization: Bearer ${token}`, url]);
  const wrong = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(output);
  if (wrong !== null) throw new Error(`${url}: ${wrong[0]}`);
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(output);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(output);
  return { rate: Number(rate), p99: Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit] };
}

/** Starts a program; what stops it. What it said is shown if it ends by itself. */
function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
  let said = '';
  let stopping = false;
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-4000)));
  const ended = once(child, 'exit').then(() => {
    if (!stopping) console.error(`${program} ended by itself: ${said}`);
  });
  return async () => {
    stopping = true;
    child.kill('SIGTERM');
    await ended;
  };
}

async function reachable(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      await (await fetch(url)).arrayBuffer();
      return url;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await sleep(100);
    }
  }
  throw new Error(`${url} did not come up`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
