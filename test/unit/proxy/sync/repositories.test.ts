// Tests the removal of a repository while a sync of it begins.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuditedStore, type AuditedStore } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import { createJobs } from '../../../../proxy/sync/jobs.ts';
import { createLiveness } from '../../../../proxy/sync/liveness.ts';
import { createRepositories, type RepositoriesOptions } from '../../../../proxy/sync/repositories.ts';

it('row 74: a sync that begins between the two halves of a removal leaves nothing behind', async () => {
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now: Date.now });
  const jobs = createJobs({
    state,
    store,
    now: Date.now,
    randomBytes,
    liveness: createLiveness({ monotonicMs: Date.now }),
  });
  const sources: RepositoriesOptions['sources'] = {
    check: async (source) => source,
    placeOf: ({ url }) => url,
    published: async () => [],
    lastRead: async () => [],
    hasLeftovers: async () => false,
  };
  const unused = (): never => {
    throw new Error('there are no credentials here');
  };
  const options = {
    sources,
    sealer: { seal: unused, unseal: unused, reseal: unused },
    now: Date.now,
    randomBytes,
    actor: 'cli:test',
  } as const;
  const { id } = await createRepositories({ ...options, store }).create({
    type: 'git',
    url: 'https://git.example.org/x',
  });
  let begun = false;
  const interrupted: AuditedStore = {
    ...store,
    range: async (prefix, range) => {
      const found = await store.range(prefix, range);
      if (!begun && prefix.startsWith('job/'))
        begun = (await jobs.open(id, { trigger: 'request', actor: 'cli:test' })).isNew;
      return found;
    },
  };
  await createRepositories({ ...options, store: interrupted }).remove(id, id);
  expect(begun).toBe(true);
  expect([...(await state.range('repository')), ...(await state.range('job/'))]).toEqual([]);
});

it('the number of stored jobs follows the current settings', async () => {
  const state = createMemoryStore();
  let nowMs = Date.parse('2026-11-21T09:00:00Z');
  let kept = 3;
  const store = createAuditedStore({ store: state, now: () => nowMs });
  const jobs = createJobs({
    state,
    store,
    now: () => nowMs,
    randomBytes,
    liveness: createLiveness({ monotonicMs: () => nowMs }),
    retained: () => kept,
  });
  const sources: RepositoriesOptions['sources'] = {
    check: async (source) => source,
    placeOf: ({ url }) => url,
    published: async () => [],
    lastRead: async () => [],
    hasLeftovers: async () => false,
  };
  const unused = (): never => {
    throw new Error('there are no credentials here');
  };
  const { id } = await createRepositories({
    sources,
    sealer: { seal: unused, unseal: unused, reseal: unused },
    now: () => nowMs,
    randomBytes,
    actor: 'cli:test',
    store,
  }).create({ type: 'git', url: 'https://git.example.org/x' });
  const run = async (): Promise<number> => {
    nowMs += 1000;
    const { job } = await jobs.open(id, { trigger: 'interval', actor: 'system:schedule' });
    await jobs.finish(job, { error: null, report: null, lines: [] });
    return (await jobs.list(id)).length;
  };
  expect([await run(), await run(), await run(), await run()]).toEqual([1, 2, 3, 3]);
  kept = 1;
  expect(await run()).toBe(1);
});
