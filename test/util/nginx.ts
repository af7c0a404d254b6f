// A private nginx on a free port, as a reverse proxy before a registry.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './redis-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';

export interface Nginx {
  readonly url: string;
  readonly host: string;
  readonly stop: () => Promise<void>;
}

/** `server` is the content of the server block, without listen. */
export async function startNginx(server: string): Promise<Nginx> {
  const port = await freePort();
  return startNginxWith(port, `server {\n    listen 127.0.0.1:${port};\n    ${server}\n  }`);
}

/** `configured`: the content of a file in conf.d; its server listens on `port` of loopback, without TLS. */
export async function startNginxWith(port: number, configured: string): Promise<Nginx> {
  const folder = temporaryFolder('nginx');
  const file = folder.at('nginx.conf');
  writeFileSync(file, configuration(folder.path, configured));
  const child = spawn(
    toolPath('nginx'),
    ['-c', file, '-e', folder.at('error.log'), '-g', `daemon off;${process.getuid?.() === 0 ? ' user root;' : ''}`],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; !(await answers(url)); attempt += 1) {
    if (attempt > 1200 || child.exitCode !== null)
      throw new Error(`nginx did not come up; see ${folder.at('error.log')}`);
    await sleep(50);
  }
  return {
    url,
    host: `127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await folder.remove();
    },
  };
}

const configuration = (folder: string, servers: string): string => `
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  ${servers}
}
`;

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
