// Tests the count of failed attempts: the attempts that count, the broken ones that do not, and the attempts of a
// killed process.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';

import { pairBudget } from '../../../../proxy/auth/attempt-budgets.ts';
import { createAttempts, WrongGuess, type Attempts } from '../../../../proxy/auth/attempts.ts';
import { createMemoryStore } from '../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../proxy/core/state/state-store.ts';

const budget = pairBudget('ada@example.org', '192.0.2.1');
const startMs = Date.parse('2026-11-21T09:00:00Z');

const attemptsOver = (store: StateStore, now = () => startMs): Attempts => createAttempts({ store, now, randomBytes });
const refuse = (): Promise<never> => Promise.reject(new Error('refused'));
const judge = (attempts: Attempts, check: () => Promise<unknown>): Promise<unknown> =>
  attempts.judge([budget], check, { refuse });
const wrong = (attempts: Attempts): Promise<unknown> => judge(attempts, () => Promise.reject(new WrongGuess()));

it('an attempt that broke before its outcome was known does not count, and a wrong one does', async () => {
  const store = createMemoryStore();
  const attempts = attemptsOver(store);
  for (let at = 0; at < 20; at += 1)
    await expect(judge(attempts, () => Promise.reject(new Error('too many at the door')))).rejects.toThrow(
      'too many at the door',
    );
  expect(await store.range('attempt/')).toEqual([]);
  for (let at = 0; at < 5; at += 1) await expect(wrong(attempts)).rejects.toThrow('refused');
  await expect(wrong(attempts)).rejects.toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
    details: { retry_after_seconds: 1 },
  });
});

it('a row of an earlier version still counts', async () => {
  const store = createMemoryStore();
  await store.commit({
    conditions: [],
    puts: [{ key: budget.key, value: { count: 7, last_ms: startMs - 1000 } }],
    deletes: [],
  });
  await expect(wrong(attemptsOver(store))).rejects.toMatchObject({ details: { retry_after_seconds: 3 } });
});

it('open attempts of a killed process become failures, and block logins no longer than their lease', async () => {
  let nowMs = startMs;
  const store = createMemoryStore();
  const killed = attemptsOver(store, () => nowMs);
  for (let at = 0; at < 5; at += 1) void judge(killed, () => new Promise(() => undefined));
  const held = async (): Promise<number> =>
    Object.keys(((await store.get(budget.key))?.value as { held?: object } | undefined)?.held ?? {}).length;
  await expect.poll(held).toBe(5);
  nowMs += 20_000;
  const next = attemptsOver(store, () => nowMs);
  await expect(wrong(next)).rejects.toThrow('refused');
  await expect(wrong(next)).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS', details: { retry_after_seconds: 2 } });
});
