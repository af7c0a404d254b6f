// A receiver of webhooks in PHP's own web server. It runs the lines that the console shows for a receiver.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeTree } from './package-tree.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';

/** `variables`: those of the environment that the lines read. The server answers 200 unless the lines say otherwise. */
export async function startPhpReceiver(
  port: number,
  lines: string,
  variables: Readonly<Record<string, string>>,
): Promise<AsyncDisposable> {
  const folder = temporaryFolder('php-receiver');
  writeTree(folder.path, { 'receive.php': `<?php\n${lines}\n` });
  const server = spawn(toolPath('php'), ['-S', `127.0.0.1:${port}`, folder.at('receive.php')], {
    env: { ...process.env, ...variables },
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  while (server.exitCode === null && !(await answers(port))) await sleep(50);
  return {
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await ended;
      await folder.remove();
    },
  };
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
