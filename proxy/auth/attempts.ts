// Counts attempts that may turn out wrong. Each is counted before it is looked at and given back when it was right, so that many at once get no more
// tries than one after another; counts are kept in the state, so that neither a restart nor another process forgets them.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { StateEntry, StateStore } from '../state/state-store.ts';
import { attemptPrefix, forgetMs, type Budget } from './attempt-budgets.ts';

export interface Attempt {
  /** It was right, or nobody's fault: it does not count. `cleared` budgets start anew. */
  readonly giveBack: (cleared?: readonly Budget[]) => Promise<void>;
}

export interface Attempts {
  /** Throws TOO_MANY_ATTEMPTS with the seconds to wait when one of the budgets is used up; then none is counted. */
  readonly take: (budgets: readonly Budget[]) => Promise<Attempt>;
}

const countRecord = z.strictObject({ count: z.number().int().min(0), last_ms: z.number() });

export function createAttempts({ store, now }: { readonly store: StateStore; readonly now: () => number }): Attempts {
  return {
    take: async (budgets) => {
      for (;;) {
        const nowMs = now();
        const entries = await Promise.all(budgets.map(({ key }) => store.get(key)));
        const counts = entries.map((entry) => countAt(entry, nowMs));
        const waitMs = Math.max(0, ...budgets.map((budget, at) => waitOf(budget, counts[at]?.count ?? 0, counts[at]?.last_ms ?? nowMs, nowMs)));
        if (waitMs > 0) throw tooMany(waitMs);
        const puts = budgets.map(({ key }, at) => ({ key, value: { count: (counts[at]?.count ?? 0) + 1, last_ms: nowMs } }));
        if (await store.commit({ conditions: conditionsOn(budgets, entries), puts, deletes: [], quiet: true })) break;
      }
      await sweep(store, budgets[0]?.key ?? attemptPrefix, now());
      return { giveBack: (cleared = []) => giveBack(store, budgets, cleared) };
    },
  };
}

/** What breaks or is turned away on the way to an outcome was nobody's guess: the attempt then does not count. */
export async function uncountedIfBroken<Outcome>(attempt: Attempt, outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    return await outcome;
  } catch (error) {
    await attempt.giveBack();
    throw error;
  }
}

async function giveBack(store: StateStore, budgets: readonly Budget[], cleared: readonly Budget[]): Promise<void> {
  for (;;) {
    const entries = await Promise.all(budgets.map(({ key }) => store.get(key)));
    const left = entries.map((entry, at) => {
      if (entry === undefined) return undefined;
      const { count, last_ms } = countRecord.parse(entry.value);
      const isCleared = cleared.some(({ key }) => key === budgets[at]?.key);
      return { key: entry.key, value: { count: isCleared ? 0 : count - 1, last_ms } };
    }).filter((put) => put !== undefined);
    const change = { conditions: conditionsOn(budgets, entries), puts: left.filter(({ value }) => value.count > 0), deletes: left.filter(({ value }) => value.count <= 0).map(({ key }) => key), quiet: true };
    if (await store.commit(change)) return;
  }
}

function conditionsOn(budgets: readonly Budget[], entries: readonly (StateEntry | undefined)[]) {
  return budgets.map(({ key }, at) => ({ key, revision: entries[at]?.revision ?? null }));
}

/** A clock that was set back makes nobody wait longer. */
function countAt(entry: StateEntry | undefined, nowMs: number): { readonly count: number; readonly last_ms: number } {
  if (entry === undefined) return { count: 0, last_ms: nowMs };
  const { count, last_ms } = countRecord.parse(entry.value);
  return nowMs - last_ms >= forgetMs ? { count: 0, last_ms: nowMs } : { count, last_ms: Math.min(last_ms, nowMs) };
}

function waitOf({ free, firstMs, longestMs }: Budget, count: number, lastMs: number, nowMs: number): number {
  if (count < free) return 0;
  const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(count - free, 30));
  return lastMs + delayMs - nowMs;
}

function tooMany(waitMs: number): RegistryError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RegistryError('TOO_MANY_ATTEMPTS', { message: `Too many attempts failed. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, details: { retry_after_seconds: seconds } });
}

/** Some of the forgotten rows go with each attempt, so that they never pile up. */
async function sweep(store: StateStore, after: string, nowMs: number): Promise<void> {
  const rows = await store.range(attemptPrefix, { after, limit: 20 });
  const old = rows.filter(({ value }) => nowMs - countRecord.parse(value).last_ms >= forgetMs);
  if (old.length === 0) return;
  await store.commit({ conditions: old.map(({ key, revision }) => ({ key, revision })), puts: [], deletes: old.map(({ key }) => key), quiet: true });
}
