// Tests GET /api/status: its counts, and its fields about publication, build and counters.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryCounters } from '../../../proxy/core/limits/memory-counters.ts';
import { runManagement } from '../../util/running-management.ts';

it('the status has counts and the time of the start', async () => {
  await using registry = await runManagement();
  const as = await registry.createToken('read');
  const revoked = await registry.services.tokensOf('cli:test').create({ description: 'gone', kind: 'write' });
  await registry.services.tokensOf('cli:test').revoke(revoked.record.id);
  await registry.signIn('viewer');
  const status = (await registry.call('GET', '/api/status', { as })).json();
  expect(status).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
    started_at: expect.stringMatching(/Z$/) as string,
    counts: {
      packages: 0,
      damaged_packages: 0,
      versions: 0,
      tokens: { read: 1, write: 0 },
      users: 1,
      repositories: 0,
      connections: 0,
      failed_connections: 0,
      artifacts: 0,
    },
    publication: null,
    last_build: null,
    counters: 'ok',
    mirror: { problems: [] },
    state: { kind: 'lmdb' },
  });
});

it('the status has the publication, the last build and degraded counters', async () => {
  await using registry = await runManagement({ counters: { ...createMemoryCounters(), degraded: () => true } });
  const put = (path: string, value: object): void => {
    mkdirSync(dirname(join(registry.data, path)), { recursive: true });
    writeFileSync(join(registry.data, path), JSON.stringify(value));
  };
  const last = { finished_at: '2026-11-21T09:00:00.000Z', outcome: 'published', quarantined: 1, failed_sources: 0 };
  put('build/last-build.json', last);
  put('index/_publication.json', {
    format: 1,
    serial: 7,
    published_at: '2026-11-21T08:59:59.000Z',
    root: { last_modified: 1, sha256: '' },
    sources: [],
  });
  put('public/packages.json', { packages: {} });
  const as = (await registry.signIn('viewer')).token;
  expect((await registry.call('GET', '/api/status', { as })).json()).toMatchObject({
    publication: { serial: 7, published_at: '2026-11-21T08:59:59.000Z' },
    last_build: last,
    counters: 'local',
  });
  put('build/last-build.json', { finished_at: 5 });
  writeFileSync(join(registry.data, 'index/_publication.json'), '{');
  rmSync(join(registry.data, 'public/packages.json'));
  expect((await registry.call('GET', '/api/status', { as })).json()).toMatchObject({
    publication: null,
    last_build: null,
  });
});

it('every caller who may read may read the status', async () => {
  await using registry = await runManagement();
  expect((await registry.call('GET', '/api/status')).status).toBe(401);
  for (const role of ['admin', 'maintainer', 'viewer'] as const)
    expect((await registry.call('GET', '/api/status', { as: (await registry.signIn(role)).token })).status).toBe(200);
  expect((await registry.call('GET', '/api/status', { as: await registry.createToken('write') })).status).toBe(200);
});
