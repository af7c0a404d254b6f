// A Composer repository of static files on servers that close connections: Python's server answers in HTTP/1.0, and
// nginx closes after each answer or after a few. Tests check how clients cope with that.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { zipOf } from './hostile-zip.ts';
import { startNginx } from './nginx.ts';
import { freePort } from './redis-server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { toolPath } from './tool.ts';
import { referenceFor, sha1Of } from './upstream.ts';

export interface StaticPackage {
  readonly name: string;
  readonly reference: string;
  /** of its archive */
  readonly shasum: string;
  /** of its archive, below the upstream's address */
  readonly path: string;
}

export interface StaticUpstream extends AsyncDisposable {
  readonly url: string;
  readonly packages: readonly StaticPackage[];
}

/** Programs that close connections, by the name in test titles. */
export const closingServers = [
  'python3 -m http.server',
  'nginx, keepalive_timeout 0',
  'nginx, keepalive_requests 20',
] as const;

/** Packages `some/lib0` and so on in version 1.0.0, with archives of 300 KB. */
export async function startStaticUpstream(
  server: (typeof closingServers)[number],
  count: number,
): Promise<StaticUpstream> {
  const folder = temporaryFolder('static-upstream');
  const packages = Array.from({ length: count }, (_, index) => writePackage(folder.path, `some/lib${index}`));
  writeFileSync(folder.at('packages.json'), JSON.stringify({ packages: [], 'metadata-url': '/p2/%package%.json' }));
  const { url, stop } =
    server === 'python3 -m http.server'
      ? await startPython(folder.path)
      : await startNginx(`root ${folder.path}; ${server.replace('nginx, ', '')};`);
  return {
    url,
    packages,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await folder.remove();
    },
  };
}

function writePackage(root: string, name: string): StaticPackage {
  const zip = zipOf([
    { name: 'lib/src/A.php', data: Buffer.alloc(300_000, createHash('sha512').update(name).digest()), stored: true },
  ]);
  const one: StaticPackage = { name, reference: referenceFor(name), shasum: sha1Of(zip), path: `/files/${name}.zip` };
  for (const part of ['files', 'p2']) mkdirSync(`${root}/${part}/some`, { recursive: true });
  writeFileSync(`${root}${one.path}`, zip);
  const record = {
    name,
    version: '1.0.0',
    license: ['MIT'],
    dist: { type: 'zip', url: one.path, reference: one.reference, shasum: one.shasum },
  };
  writeFileSync(`${root}/p2/${name}.json`, JSON.stringify({ packages: { [name]: [record] } }));
  return one;
}

async function startPython(root: string): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(
    toolPath('python3'),
    ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', root],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(url, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
  for (let attempt = 0; !(await answers()); attempt += 1) {
    if (attempt > 200 || child.exitCode !== null) throw new Error('python3 -m http.server did not come up');
    await sleep(50);
  }
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { url, stop };
}
