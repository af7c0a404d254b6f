// Tests --metrics: an address of its own, and no secret in the metrics.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
let server: RunningCli | undefined;
beforeEach(() => {
  folder = temporaryFolder('cli-metrics');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
});
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
  server = undefined;
  await folder.remove();
});

const cli = (...args: readonly string[]) => runCli([...args, '--data', 'data'], { cwd: folder.path });

it('the metrics count client requests, and describe registry and process', async () => {
  await cli('build', 'packages');
  const { id, token } = JSON.parse((await cli('token', 'create', '--description', 'a test', '--json')).stdout) as {
    id: string;
    token: string;
  };
  server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0'], {
    cwd: folder.path,
  });
  const [, url = ''] = await server.shows(/Serving .* (http:\/\/127\.0\.0\.1:\d+)/);
  const [, metrics = ''] = await server.shows(/Metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)/);
  const get = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect((await get('/p2/acme/hello.json')).status).toBe(200);
  expect((await get('/p2/acme/secret-name.json')).status).toBe(404);
  expect((await get('/metrics')).status).toBe(404);

  const reply = await fetch(metrics);
  const text = await reply.text();
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(text).toContain('libretto_requests_total{route="provider",status="200",token="read"} 1\n');
  expect(text).toContain('libretto_requests_total{route="provider",status="404",token="read"} 1\n');
  expect(text).toContain('libretto_publication_serial 1\n');
  expect(text).toContain('libretto_last_build_failed 0\n');
  expect(text).toContain('libretto_counters_degraded 0\n');
  for (const name of [
    'libretto_connections',
    'libretto_publication_age_seconds',
    'libretto_event_loop_delay_seconds{quantile="0.99"}',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ])
    expect(text).toMatch(new RegExp(`^${name.replaceAll(/[{}]/g, String.raw`\$&`)} [0-9.e-]+$`, 'm'));
  for (const secret of [token, id, 'acme', 'secret-name', folder.path]) expect(text).not.toContain(secret);
  // one line for each sample, after one HELP and one TYPE for each name
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? [0-9.e+-]+)$/,
    );
  const typed = [...text.matchAll(/^# TYPE ([a-z_]+)/gm)].map(([, name]) => name);
  expect(new Set(typed).size).toBe(typed.length);

  expect((await fetch(metrics.replace('/metrics', '/health'))).status).toBe(404);
  expect((await fetch(metrics, { method: 'POST' })).status).toBe(400);
  server.signal('SIGTERM');
  expect((await server.ended).exitCode).toBe(0);
});

it('serve does not start where the metrics address is in use, and names the flag', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { exitCode, stderr } = await cli('serve', '--listen', '127.0.0.1:0', '--metrics', `127.0.0.1:${port}`);
  other.close();
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(
      /Cannot listen on 127\.0\.0\.1:\d+ \(--metrics\): another program listens there already\. Stop it, or choose another address with --metrics\./,
    ) as string,
  ]);
});
