// The measured servers on free ports of loopback: nginx with one worker and a static bearer check, Redis, and
// Libretto's proxy, with their processor time and memory.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTool } from '../../setup/tools.mjs';
import { bare, binary } from '../measure.mjs';

/** Starts servers, and stops them in reverse order. */
export function createServers(folder) {
  const stops = [];
  const start = (program, args, options) => {
    const server = startProgram(program, args, options);
    stops.push(server.stop);
    return server;
  };
  return {
    redis: async () => {
      const port = await freePort();
      start('redis-server', [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder,
      ]);
      return `redis://127.0.0.1:${port}`;
    },
    /**
     * `token`: the only accepted token; undefined: no token is required. `tuned`: it keeps files open, and has no log.
     */
    nginx: async (data, token, { tuned = false } = {}) => {
      const port = await freePort();
      const configuration = join(folder, tuned ? 'nginx-tuned.conf' : 'nginx.conf');
      writeFileSync(configuration, nginxConfiguration(folder, { data, token, port, tuned }));
      return await reachable(
        start(findTool('nginx'), [
          '-c',
          configuration,
          '-e',
          join(folder, 'error.log'),
          '-g',
          `daemon off;${process.getuid() === 0 ? ' user root;' : ''}`,
        ]),
        port,
      );
    },
    /** `libretto serve`; `log`: as the flag; `env`: further variables. */
    proxy: async (data, { log, flags = [], env = {} }) => {
      const port = await freePort();
      const started = performance.now();
      const server = await reachable(
        start(
          process.execPath,
          [binary, 'serve', '--data', data, '--listen', `127.0.0.1:${port}`, '--log', log, ...flags],
          { cwd: folder, env: { ...bare, ...env } },
        ),
        port,
        '/health/ready',
      );
      return { ...server, readyMs: performance.now() - started };
    },
    stop: async () => {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

function nginxConfiguration(folder, { data, token, port, tuned }) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
  const log = tuned
    ? 'access_log off; open_file_cache max=1000 inactive=60s; open_file_cache_valid 1s;'
    : `access_log ${folder}/access.log combined buffer=64k flush=1s;`;
  return `worker_processes 1; pid ${folder}/nginx-${port}.pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${temporary}
  types { application/json json; application/zip zip; }
  ${log}
  sendfile on; gzip_static on; keepalive_requests 1000000; map_hash_bucket_size 128;
  map $http_authorization $refused { default 1; "Bearer ${token}" 0; }
  server { listen 127.0.0.1:${port}; root ${data}/public; ${token === undefined ? '' : 'if ($refused) { return 401; }'} }
}
`;
}

/** The output of a server is shown if it ends by itself. */
function startProgram(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
  let said = '';
  let stopping = false;
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-4000)));
  const ended = once(child, 'exit').then(() => {
    if (!stopping) console.error(`${program} ended by itself: ${said}`);
  });
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    await ended;
  };
  return { processId: child.pid, stop };
}

/** Polls often, because the start time is a figure too. */
async function reachable(server, port, path = '/') {
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    try {
      const answer = await fetch(url + path);
      await answer.arrayBuffer();
      if (path === '/' || answer.status === 200) return { ...server, url };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(5);
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

/**
 * Processor seconds, of user and system, that a process and its children have taken so far; undefined where the system
 * does not say.
 */
export function processorSeconds(processId) {
  try {
    let ticks = 0;
    for (const id of [processId, ...childrenOf(processId)]) {
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks / 100;
  } catch {
    return undefined; // no Linux
  }
}

function childrenOf(processId) {
  return readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((id) => id !== '');
}

/** MB in memory right now. */
export function residentMb(processId) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))[1]) / 1024;
}
