// Tests that first hits are stored one after the other, and that a flood of them is bounded.

import { expect, it } from 'vitest';
import { createHits } from '../../../../../proxy/policy/apply/hits.ts';
import { readHits, type PolicyHit } from '../../../../../proxy/policy/records/policy-hits.ts';
import { createAuditedStore } from '../../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const hit = (at: number): PolicyHit => ({
  rule: 'abandoned',
  action: 'log',
  name: 'acme/core',
  version: `1.0.${at}`,
  normalized: `1.0.${at}.0`,
  released_ms: null,
  because: 'it is abandoned',
  token: null,
  at: '2026-01-01T00:00:00.000Z',
});

function openHits() {
  const store = createMemoryStore();
  const seen = { commits: 0, dropped: [] as number[] };
  const counting: typeof store = {
    ...store,
    commit: (change) => {
      seen.commits += 1;
      return store.commit(change);
    },
  };
  const hits = createHits({
    store: createAuditedStore({ store: counting, now: () => 0 }),
    onError: (error) => {
      throw error;
    },
    onDropped: (count) => seen.dropped.push(count),
  });
  return { store, hits, seen };
}

it('300 hits at once are 300 commits: none waits for the head of the audit log', async () => {
  const { store, hits, seen } = openHits();
  for (let at = 0; at < 300; at += 1) hits.note(hit(at));
  await hits.settled();
  expect([seen.commits, (await readHits(store)).length, seen.dropped]).toEqual([300, 300, []]);
});

it('at most 5000 wait; the others are told in one count, and stored when they are noted again', async () => {
  const { store, hits, seen } = openHits();
  for (let at = 0; at < 5003; at += 1) hits.note(hit(at));
  await hits.settled();
  expect([(await readHits(store)).length, seen.dropped]).toEqual([5000, [3]]);
  for (let at = 0; at < 5003; at += 1) hits.note(hit(at));
  await hits.settled();
  expect([(await readHits(store)).length, seen.commits, hits.counts().get('abandoned log')]).toEqual([
    5003, 5003, 10_006,
  ]);
});
