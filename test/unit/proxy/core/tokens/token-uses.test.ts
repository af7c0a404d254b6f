// Tests the last use of tokens: uses are written together, never replace a later use of another process, and survive a
// failed write.

import { afterEach, expect, it, vi } from 'vitest';
import { createTokenUses } from '../../../../../proxy/core/tokens/token-uses.ts';
import type { TokenId } from '../../../../../proxy/core/tokens/token.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const [one, two] = ['tok_0000000000000001', 'tok_0000000000000002'] as unknown as [TokenId, TokenId];
const unexpected = (error: unknown): void => expect.unreachable(String(error));

afterEach(() => void vi.useRealTimers());

it('the uses of tokens are written together some seconds after the first, and only the last use of each', async () => {
  vi.useFakeTimers();
  const store = createMemoryStore();
  let commits = 0;
  const uses = createTokenUses({
    store: { ...store, commit: (change) => ((commits += 1), store.commit(change)) },
    onError: unexpected,
  });
  const before = store.generation();
  for (let atMs = 1; atMs <= 100; atMs += 1) for (const id of [one, two]) uses.note(id, { atMs, from: '192.0.2.1' });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(commits).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(commits).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(commits).toBe(1);
  // the authenticator's cache stays valid
  expect(store.generation()).toBe(before);
  expect(await createTokenUses({ store, onError: unexpected }).of([one, two])).toEqual(
    new Map([one, two].map((id) => [id, { atMs: 100, from: '192.0.2.1' }])),
  );
});

it('an earlier use never replaces a later use that another process wrote', async () => {
  const store = createMemoryStore();
  const [here, there] = [
    createTokenUses({ store, onError: unexpected }),
    createTokenUses({ store, onError: unexpected }),
  ];
  here.note(one, { atMs: 5, from: 'here' });
  there.note(one, { atMs: 9, from: 'there' });
  await there.close();
  expect(await here.of([one])).toEqual(new Map([[one, { atMs: 9, from: 'there' }]]));
  await here.close();
  expect(await here.of([one, two])).toEqual(new Map([[one, { atMs: 9, from: 'there' }]]));
});

it('uses that cannot be written are written with the next ones', async () => {
  const store = createMemoryStore();
  const errors: unknown[] = [];
  let full = true;
  const uses = createTokenUses({
    store: {
      ...store,
      commit: (change) => (full ? Promise.reject(new Error('the disk is full')) : store.commit(change)),
    },
    onError: (error) => errors.push(error),
  });
  uses.note(one, { atMs: 5, from: 'a' });
  await uses.close();
  expect([errors, await store.range('token-use/')]).toEqual([[new Error('the disk is full')], []]);
  full = false;
  uses.note(two, { atMs: 6, from: 'b' });
  await uses.close();
  expect((await store.range('token-use/')).map(({ key }) => key)).toEqual([`token-use/${one}`, `token-use/${two}`]);
});
