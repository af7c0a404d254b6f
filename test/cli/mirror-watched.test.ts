// Tests the reports of the compiled program about mirrored registries: to `doctor`, and to Composer's policies in
// filter lists.

import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

interface Check {
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly advice: string | null;
}

let upstream: TestUpstream;
let registry: Registry;

const set = async (...args: readonly string[]): Promise<void> => {
  const { exitCode, stderr } = await registry.cli('settings', 'set', ...args);
  if (exitCode !== 0) throw new Error(stderr);
};
const doctor = async (): Promise<{ readonly exitCode: number; readonly upstreams: readonly Check[] }> => {
  const { exitCode, stdout } = await registry.cli('doctor', '--json');
  return {
    exitCode,
    upstreams: (JSON.parse(stdout) as { readonly checks: readonly Check[] }).checks.filter(
      ({ check }) => check === 'upstream',
    ),
  };
};
const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
  const reply = await fetch(`${registry.direct()}${path}`, {
    headers: {
      authorization: `Bearer ${registry.token}`,
      'content-type': 'application/json',
      'user-agent': 'Composer/2.10.1',
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await reply.json()) as Record<string, unknown>;
};

beforeAll(async () => {
  upstream = await startUpstream({ root: { filter: { metadata: true, lists: { malware: { enabled: true } } } } });
  upstream.put('some/lib', [{ version: '1.0.0' }], {
    filter: { malware: [{ constraint: '1.0.0', reason: 'It phones home' }] },
  });
  registry = await startRegistry({ sources: [temporaryTree(below('acme/app', whoLibrary('acme/app', '1.0.0'))).root] });
  writeFileSync(registry.folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  await set('mirroring.url', upstream.url);
});
afterAll(async () => {
  await registry.stop();
  await upstream[Symbol.asyncDispose]();
});

itInSeries(
  'doctor makes no request where nothing is mirrored, and otherwise reports whether each registry is reachable',
  async () => {
    expect((await doctor()).upstreams).toEqual([]);
    expect(upstream.asked('/')).toBe(0);
    await set('mirroring.enabled', 'true');
    expect(await doctor()).toMatchObject({
      exitCode: 0,
      upstreams: [
        {
          verdict: 'ok',
          message: expect.stringMatching(/127\.0\.0\.1:\d+ \(mirroring\.url\) is reached.* by metadata-url/) as string,
        },
      ],
    });
    upstream.failing.status = 503;
    expect(await doctor()).toMatchObject({
      exitCode: 1,
      upstreams: [{ verdict: 'failed', message: expect.stringContaining('503') as string }],
    });
    upstream.failing.status = undefined;
    upstream.instead('/packages.json', (_request, response) => void response.end('<html>'));
    expect((await doctor()).upstreams).toMatchObject([
      { verdict: 'failed', message: expect.stringContaining('is not a readable Composer repository') as string },
    ]);
    const root = { 'providers-url': '/p/%package%$%hash%.json', 'provider-includes': {} };
    upstream.instead('/packages.json', (_request, response) => void response.end(JSON.stringify(root)));
    expect((await doctor()).upstreams).toMatchObject([
      { verdict: 'ok', message: expect.stringContaining('its packages are found by providers-url') as string },
    ]);
    upstream.instead('/packages.json', undefined);
  },
);

it('a server start removes half-fetched files of a killed server, keeps those of running ones, and serves the filter lists of upstreams', async () => {
  await set('mirroring.enabled', 'true');
  await registry.stopServer();
  const staging = join(registry.data, 'mirror/.staging');
  mkdirSync(staging, { recursive: true });
  for (const name of ['old.partial', 'young.partial']) writeFileSync(join(staging, name), 'PK');
  utimesSync(join(staging, 'old.partial'), Date.now() / 1000 - 300, Date.now() / 1000 - 300);
  await registry.startServer();
  const { filter, ...root } = await ask('/packages.json');
  expect(root['available-package-patterns']).toEqual(['*']);
  expect(filter).toEqual({
    metadata: true,
    lists: { malware: { enabled: true } },
    'api-url': expect.stringMatching(/\/filters$/) as string,
  });
  expect(
    await ask('/filters', { packages: ['pkg://composer/some/lib', 'pkg://composer/acme/app'], lists: ['malware'] }),
  ).toEqual({ filter: { malware: [{ package: 'some/lib', constraint: '1.0.0', reason: 'It phones home' }] } });
  expect(await ask('/p2/some/lib.json')).toMatchObject({
    filter: { malware: [{ constraint: '1.0.0', reason: 'It phones home' }] },
  });
  expect(upstream.asked('/p2/acme/')).toBe(0);
  expect(readdirSync(staging)).toEqual(['young.partial']);
});

it('a running server finds a package that was missing, after `libretto mirror refresh`', async () => {
  const statusOf = async (): Promise<number> =>
    (await fetch(`${registry.direct()}/p2/some/late.json`, { headers: { authorization: `Bearer ${registry.token}` } }))
      .status;
  expect(await statusOf()).toBe(404);
  upstream.put('some/late', [{ version: '1.0.0' }]);
  expect(await statusOf(), 'the answer is remembered for a minute').toBe(404);
  expect(await registry.cli('mirror', 'refresh')).toMatchObject({ exitCode: 0, stderr: '' });
  let status = 404;
  for (let turn = 0; turn < 200 && status === 404; turn += 1) {
    await sleep(50); // servers look for the signal once a second
    status = await statusOf();
  }
  expect(status).toBe(200);
});
