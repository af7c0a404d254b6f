// Tests leases: one process at a time does some work for all that share a state, and another one takes over.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuditedStore } from '../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';
import { createJobs } from '../../../../proxy/sync/jobs.ts';
import { createLease, type Lease } from '../../../../proxy/sync/lease.ts';
import { createLiveness } from '../../../../proxy/sync/liveness.ts';
import { describeOwner } from '../../../../proxy/sync/process-owner.ts';
import type { RepositoryId } from '../../../../proxy/sync/repository.ts';

function leaseOf(state: StateStore, monotonicMs: () => number): Lease {
  return createLease({
    state,
    name: 'work',
    liveness: createLiveness({ monotonicMs, staleAfterMs: 1000 }),
    randomBytes,
  });
}

it('a lease has one holder, and another process gets it when it is given back', async () => {
  const state = createMemoryStore();
  const generation = state.generation();
  const [one, other] = [leaseOf(state, () => 0), leaseOf(state, () => 0)];
  expect([await one.hold(), await other.hold(), await one.hold()]).toEqual([true, false, true]);
  await other.release(); // another process cannot give it back
  expect(await other.hold()).toBe(false);
  await one.release();
  expect([await other.hold(), await one.hold()]).toEqual([true, false]);
  // no cache is invalidated because of it
  expect(state.generation()).toBe(generation);
});

it('a lease is taken over when its holder is silent for too long, whatever the clocks show', async () => {
  const state = createMemoryStore();
  let nowMs = 1e9;
  const [one, other] = [leaseOf(state, () => 5), leaseOf(state, () => nowMs)];
  await one.hold();
  for (let beat = 0; beat < 5; beat += 1) {
    expect(await other.hold()).toBe(false);
    nowMs += 900;
    await one.hold();
  }
  expect(await other.hold()).toBe(false);
  nowMs += 999;
  expect(await other.hold()).toBe(false);
  nowMs += 1;
  expect([await other.hold(), await one.hold()]).toEqual([true, false]);
});

it('a lease of an ended process of this host is taken over at once', async () => {
  const state = createMemoryStore();
  const killed = (await describeOwner()).replace(/\d+$/, '1');
  await state.commit({
    conditions: [],
    puts: [{ key: 'lease/work', value: { holder: 'x', owner: killed } }],
    deletes: [],
  });
  expect(await leaseOf(state, () => 0).hold()).toBe(true);
});

it('one of many simultaneous claimants gets the lease', async () => {
  const state = createMemoryStore();
  const held = await Promise.all(Array.from({ length: 10 }, () => leaseOf(state, () => 0).hold()));
  expect(held.filter(Boolean)).toEqual([true]);
});

it('a job whose repository another process removed learns of that with its next heartbeat', async () => {
  const state = createMemoryStore();
  const liveness = createLiveness({ monotonicMs: () => 0 });
  const jobs = createJobs({
    state,
    store: createAuditedStore({ store: state, now: Date.now }),
    now: Date.now,
    randomBytes,
    liveness,
  });
  const id = 'repo_0000000000000001' as RepositoryId;
  await state.commit({ conditions: [], puts: [{ key: `repository/${id}`, value: {} }], deletes: [] });
  const { job } = await jobs.open(id, { trigger: 'interval', actor: 'system:schedule' });
  const revision = async (): Promise<number | undefined> => (await state.get(`repository-active/${id}`))?.revision;
  const before = await revision();
  expect(await jobs.beat([job])).toEqual([]);
  expect(await revision()).not.toBe(before);
  await state.commit({ conditions: [], puts: [], deletes: [`repository-active/${id}`] });
  expect(await jobs.beat([job])).toEqual([job]);
});
