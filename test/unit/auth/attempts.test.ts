// Attempts: what counts, and what was nobody's guess.

import { expect, it } from 'vitest';

import { pairBudget } from '../../../proxy/auth/attempt-budgets.ts';
import { createAttempts, uncountedIfBroken } from '../../../proxy/auth/attempts.ts';
import { createMemoryStore } from '../../../proxy/state/memory-store.ts';

const budget = pairBudget('ada@example.org', '192.0.2.1');
const nowMs = Date.parse('2026-11-21T09:00:00Z');

it('one that broke before its outcome was known does not count; one that was wrong does', async () => {
  const store = createMemoryStore();
  const attempts = createAttempts({ store, now: () => nowMs });
  for (let at = 0; at < 20; at += 1) {
    const attempt = await attempts.take([budget]);
    await expect(uncountedIfBroken(attempt, Promise.reject(new Error('too many at the door')))).rejects.toThrow('too many at the door');
  }
  expect(await store.range('attempt/')).toEqual([]);
  for (let at = 0; at < 5; at += 1) expect(await uncountedIfBroken(await attempts.take([budget]), Promise.resolve(false))).toBe(false);
  await expect(attempts.take([budget])).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS', details: { retry_after_seconds: 1 } });
});
