// Tests that the private names are unknown before the first publication: no command of a mirroring registry then
// requests anything of another registry (I9).

import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { startUpstream, type TestUpstream } from '../util/upstream.ts';

let upstream: TestUpstream;
let registry: ManagedRegistry;
let [id, token] = ['', ''];
beforeAll(async () => {
  upstream = await startUpstream();
  for (const name of ['acme/secret', 'some/lib']) upstream.put(name, [{ version: '9.0.0' }]);
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    sources: ['packages', { type: 'composer', url: upstream.url, packages: { 'some/lib': '*' } }],
  });
  const made = (await registry.api('POST', '/api/tokens', { description: 'a client', kind: 'read' })).json;
  [id, token] = [String(made['id']), String(made['token'])];
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function ask(
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const answer = await fetch(registry.url() + path, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  return { status: answer.status, json: (await answer.json().catch(() => ({}))) as Record<string, unknown> };
}

it('a registry without a publication requests nothing of an upstream, and reports that it is not ready', async () => {
  for (const path of [
    '/packages.json',
    '/p2/acme/secret.json',
    '/p2/some/lib.json',
    '/p2/some/lib~dev.json',
    '/dist/acme/secret/9.0.0.zip',
  ]) {
    expect([path, await ask(path)]).toMatchObject([path, { status: 500, json: { code: 'NOT_READY' } }]);
  }
  expect((await ask('/search.json?q=lib')).json).toMatchObject({ total: 0 });
  expect((await ask('/security-advisories', 'packages[]=acme/secret')).json).toMatchObject({ advisories: {} });

  const why = await registry.cli('why', 'acme/secret');
  expect([why.exitCode, why.stdout]).toEqual([
    1,
    expect.stringContaining(
      'It is not mirrored: nothing is published here yet, so the private names are unknown',
    ) as string,
  ]);
  const explained = JSON.parse((await registry.cli('token', 'explain', id, 'acme/secret', '--json')).stdout) as unknown;
  expect(explained).toMatchObject({ mirrored: false, seen: false });
  writeFileSync(
    registry.folder.at('composer.lock'),
    JSON.stringify({
      packages: [
        {
          name: 'acme/secret',
          version: '9.0.0',
          dist: { type: 'zip', url: 'https://elsewhere.example/x.zip', reference: 'a'.repeat(40) },
        },
      ],
      'packages-dev': [],
    }),
  );
  expect((await registry.cli('mirror', 'warm', 'composer.lock', '--json')).stdout).toContain(
    'nothing is published here yet',
  );
  // the filter lists are read for packages.json, and they contain no package name of this registry
  expect(upstream.server.requests.filter(({ path }) => path !== '/packages.json')).toEqual([]);
});

it('a registry mirrors from its first publication on, whatever it contains', async () => {
  mkdirSync(registry.folder.at('packages/secret'), { recursive: true });
  writeFileSync(registry.folder.at('packages/secret/composer.json'), '{"name": "acme/secret", "version": "1.0.0"}');
  const { exitCode, stderr } = await registry.cli('build');
  expect(exitCode, stderr).toBe(1); // the archive of some/lib is no ZIP, and it was requested
  expect(upstream.asked('/p2/some/lib')).toBeGreaterThan(0);
  expect((await ask('/p2/some/lib.json')).status).toBe(200);
  expect(JSON.stringify((await ask('/p2/acme/secret.json')).json)).toContain('1.0.0');
  expect(upstream.server.requests.filter(({ path }) => path.includes('secret'))).toEqual([]);
});

it('a registry stops mirroring while its announcement cannot be read', async () => {
  writeFileSync(`${registry.data}/index/_publication.json`, '{"format": 1');
  const asked = upstream.server.requests.length;
  await sleep(20); // the server looks at the announcement every 5 ms at most
  expect(await ask('/p2/some/lib.json')).toMatchObject({ status: 500, json: { code: 'NOT_READY' } });
  expect(await ask('/p2/some/other.json')).toMatchObject({ status: 500 });
  expect((await ask('/p2/acme/secret.json')).status).toBe(200);
  expect((await registry.cli('why', 'some/lib')).stdout).toContain('index/_publication.json cannot be used');
  expect(upstream.server.requests).toHaveLength(asked);
  await registry.cli('build');
  expect((await ask('/p2/some/lib.json')).status).toBe(200);
});
