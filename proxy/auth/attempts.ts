// Counts failed attempts. Each attempt is reserved before its check, so that parallel attempts get no more tries than
// sequential ones. A failure counts from the moment it is known. A success returns its reservation and moves no clock.
// If reservations use up the rest of a budget, the next attempt waits for their results. The state stores the counts,
// so that all processes share them and a restart keeps them.

import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { waitInWords } from '../core/http/wait-before-retry.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { attemptPrefix, type Budget } from './attempt-budgets.ts';
import {
  hasRoom,
  leaseMs,
  recordOf,
  standingAt,
  waitOf,
  withReservation,
  withoutReservation,
  type BudgetState,
} from './attempt-record.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';

/** A check throws it for a wrong password or code. */
export class WrongGuess extends Error {}

export interface AttemptOutcome {
  /** the answer to a wrong guess, after it was counted */
  readonly refuse: () => Promise<never>;
  /** budgets whose failures are cleared after a right guess */
  readonly cleared?: readonly Budget[];
}

export interface Attempts {
  /**
   * Runs `check` under a reservation in all of `budgets`. A WrongGuess counts as a failure. Any other error is no guess
   * and does not count; neither does undefined, the result of a check without a verdict. Throws TOO_MANY_ATTEMPTS with
   * the seconds to wait after failures have used up a budget.
   */
  readonly judge: <Result>(
    budgets: readonly Budget[],
    check: () => Promise<Result>,
    judgement: AttemptOutcome,
  ) => Promise<Result>;
}

export interface AttemptsOptions {
  readonly store: StateStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** Attempts of this process that may wait for a result at the same time. */
const mostWaiting = 100;
/** An attempt waits longer than an abandoned reservation lasts. */
const longestWaitMs = leaseMs + 5000;
const lookAgainMs = 50;

type Clear = (key: string) => boolean;

export function createAttempts({ store, now, randomBytes }: AttemptsOptions): Attempts {
  const waiting = createSemaphore({ inside: mostWaiting, waiting: 0 });
  const reserve = async (budgets: readonly Budget[], id: string): Promise<void> => {
    if (await tryReserve(store, budgets, id, now)) return;
    await (waiting(() => reserveLater(store, budgets, id, now)) ?? Promise.reject(tooManyWaiting()));
  };
  const settle = (
    budgets: readonly Budget[],
    id: string,
    failed: boolean,
    isCleared: Clear = () => false,
  ): Promise<void> =>
    update(store, budgets, now, (state, { key }) => {
      const left = withoutReservation(state, id, failed, now());
      return isCleared(key) ? { ...left, count: 0 } : left;
    });
  return {
    judge: async (budgets, check, { refuse, cleared = [] }) => {
      const id = randomBase62(12, randomBytes);
      await reserve(budgets, id);
      try {
        await sweep(store, budgets[0]?.key ?? attemptPrefix, now());
        const result = await check();
        await settle(budgets, id, false, (key) => result !== undefined && cleared.some((budget) => budget.key === key));
        return result;
      } catch (error) {
        await settle(budgets, id, error instanceof WrongGuess);
        if (error instanceof WrongGuess) return refuse();
        throw error;
      }
    },
  };
}

/** False if the attempt has to wait for the results of others. Throws TOO_MANY_ATTEMPTS. */
async function tryReserve(
  store: StateStore,
  budgets: readonly Budget[],
  id: string,
  now: () => number,
): Promise<boolean> {
  let isFull = false;
  await update(store, budgets, now, (state, budget, all) => {
    const nowMs = now();
    const waitMs = Math.max(...all.map((one, at) => waitOf(budgets[at] ?? budget, one, nowMs)));
    if (waitMs > 0) throw tooMany(waitMs);
    isFull = !all.every((one, at) => hasRoom(budgets[at] ?? budget, one));
    return isFull ? undefined : withReservation(state, id, nowMs);
  });
  return !isFull;
}

async function reserveLater(
  store: StateStore,
  budgets: readonly Budget[],
  id: string,
  now: () => number,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += lookAgainMs) {
    await delay(lookAgainMs);
    if (await tryReserve(store, budgets, id, now)) return;
  }
  throw tooManyWaiting();
}

type Edit = (state: BudgetState, budget: Budget, all: readonly BudgetState[]) => BudgetState | undefined;

/** Counts an attempt, whatever becomes of it. Throws TOO_MANY_ATTEMPTS. */
export async function countAttempt(attempts: Attempts, budgets: readonly Budget[]): Promise<void> {
  const counted = new WrongGuess();
  const fail = (): Promise<never> => Promise.reject(counted);
  await attempts.judge(budgets, fail, { refuse: fail }).catch((error: unknown) => {
    if (error !== counted) throw error;
  });
}

/**
 * Edits the rows of all budgets in one commit, again from the start when another came first. An edit of undefined
 * leaves all of them alone.
 */
async function update(store: StateStore, budgets: readonly Budget[], now: () => number, edit: Edit): Promise<void> {
  for (;;) {
    const entries = await Promise.all(budgets.map(({ key }) => store.get(key)));
    const standings = entries.map((entry) => standingAt(entry?.value, now()));
    const edited = budgets.map((budget, at) => edit(standings[at] ?? standingAt(undefined, 0), budget, standings));
    if (edited.includes(undefined)) return;
    const rows = edited.map((state, at) => ({
      key: budgets[at]?.key ?? '',
      value: state && recordOf(state),
      isThere: entries[at] !== undefined,
    }));
    const puts = rows
      .filter((row): row is typeof row & { readonly value: JsonObject } => row.value !== undefined)
      .map(({ key, value }) => ({ key, value }));
    const deletes = rows.filter(({ value, isThere }) => value === undefined && isThere).map(({ key }) => key);
    const conditions = budgets.map(({ key }, at) => ({ key, revision: entries[at]?.revision ?? null }));
    if (await store.commit({ conditions, puts, deletes, quiet: true })) return;
  }
}

/** The error for a login that is refused because too many others wait. */
export function tooManyWaiting(): RegistryError {
  return new RegistryError('TOO_MANY_ATTEMPTS', {
    message: 'Too many people are signing in at once. Try again in a few seconds.',
    details: { retry_after_seconds: 3 },
  });
}

function tooMany(waitMs: number): RegistryError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RegistryError('TOO_MANY_ATTEMPTS', {
    message: `Too many attempts. Try again in ${waitInWords(seconds)}.`,
    details: { retry_after_seconds: seconds },
  });
}

/** Each attempt removes some forgotten rows, so that they never accumulate. */
async function sweep(store: StateStore, after: string, nowMs: number): Promise<void> {
  const rows = await store.range(attemptPrefix, { after, limit: 20 });
  const old = rows.filter(({ value }) => recordOf(standingAt(value, nowMs)) === undefined);
  if (old.length === 0) return;
  await store.commit({
    conditions: old.map(({ key, revision }) => ({ key, revision })),
    puts: [],
    deletes: old.map(({ key }) => key),
    quiet: true,
  });
}
