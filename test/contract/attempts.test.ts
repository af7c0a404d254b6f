// Tests the budgets of attempts on every kind of state, with two processes on one state. Simultaneous wrong attempts
// get no more tries than consecutive ones, and correct attempts never block each other.

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { accountBudget, addressBudget, codeBudget, pairBudget, type Budget } from '../../proxy/auth/attempt-budgets.ts';
import { createAttempts, WrongGuess } from '../../proxy/auth/attempts.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

type Outcome = 'right' | 'wrong' | 'refused';

const allBudgets: readonly (readonly [string, (name: string) => Budget])[] = [
  ['the budget of an address', (name) => addressBudget(name)],
  ['the budget of an account', (name) => accountBudget(`${name}@example.org`)],
  ['the budget of an account from an address', (name) => pairBudget(`${name}@example.org`, '192.0.2.1')],
  ['the budget of codes', (name) => codeBudget(name)],
];

function describeAttempts(
  name: string,
  budgets: typeof allBudgets,
  open: () => Promise<{ readonly stores: readonly StateStore[]; readonly remove: () => Promise<void> }>,
): void {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let nowMs = Date.parse('2026-11-21T09:00:00Z');
    beforeAll(async () => void (opened = await open()));
    afterAll(() => opened.remove());

    /** Makes `right` and `wrong` attempts at once, spread over the processes, and returns their outcomes. */
    async function tryAtOnce(budget: Budget, guesses: readonly ('right' | 'wrong')[]): Promise<Outcome[]> {
      const processes = opened.stores.map((store) => createAttempts({ store, now: () => nowMs, randomBytes }));
      return Promise.all(
        guesses.map(async (guess, at): Promise<Outcome> => {
          const check = async (): Promise<Outcome> => {
            for (let turn = 0; turn < 5; turn += 1) await nextTurn();
            if (guess === 'wrong') throw new WrongGuess();
            return guess;
          };
          const refuse = (): Promise<never> => Promise.reject(new Error('wrong'));
          return processes[at % processes.length]!.judge([budget], check, { refuse }).catch((error: unknown) =>
            error instanceof Error && error.message === 'wrong' ? 'wrong' : 'refused',
          );
        }),
      );
    }
    const times = <Guess>(count: number, guess: Guess): Guess[] => Array.from({ length: count }, () => guess);

    it.each(budgets)(
      '%s: simultaneous wrong attempts get as many answers as the budget allows',
      async (_name, budgetOf) => {
        const budget = budgetOf('guessed');
        const outcomes = await tryAtOnce(budget, times(budget.free + 8, 'wrong'));
        expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(budget.free);
        expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(8);
      },
    );

    it.each(budgets)(
      '%s: simultaneous correct attempts all succeed, also one failure before the lockout',
      async (_name, budgetOf) => {
        const budget = budgetOf('right');
        expect(await tryAtOnce(budget, times(budget.free + 5, 'right'))).toEqual(times(budget.free + 5, 'right'));
        await tryAtOnce(budget, times(budget.free - 1, 'wrong'));
        expect(await tryAtOnce(budget, times(4, 'right'))).toEqual(times(4, 'right'));
      },
    );

    it.each(budgets)(
      '%s: a lockout ends at the time set by its failures, and correct attempts prolong it for nobody',
      async (_name, budgetOf) => {
        const budget = budgetOf('locked');
        await tryAtOnce(budget, times(budget.free, 'wrong'));
        nowMs += budget.firstMs - 1;
        expect(await tryAtOnce(budget, ['right'])).toEqual(['refused']);
        nowMs += 1;
        expect(await tryAtOnce(budget, times(4, 'right'))).toEqual(times(4, 'right'));
        // all failures expire an hour after the last one; until then each further attempt waits on its own
        if (budget.firstMs < 3_600_000)
          expect((await tryAtOnce(budget, times(4, 'wrong'))).sort()).toEqual([
            'refused',
            'refused',
            'refused',
            'wrong',
          ]);
      },
    );
  });
}

describeAttempts('memory', allBudgets, async () => {
  const store = createMemoryStore();
  return { stores: [store, store], remove: () => store.close() };
});

describeAttempts('LMDB', allBudgets.slice(2), async () => {
  const folder = temporaryFolder('attempts');
  const stores = [await openLmdbStore(folder.at('state')), await openLmdbStore(folder.at('state'))];
  return {
    stores,
    remove: async () => void (await Promise.all(stores.map((store) => store.close())), await folder.remove()),
  };
});

describe.skipIf(lacks('redis-server'))('with redis-server', () => {
  let redis: RedisServer;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());

  describeAttempts('Redis', allBudgets.slice(2), async () => {
    const open = (): Promise<StateStore> =>
      openRedisStore({
        url: redis.url,
        graceMs: 60_000,
        notice: () => undefined,
        monotonicMs: () => performance.now(),
      });
    const stores = [await open(), await open()];
    return { stores, remove: async () => void (await Promise.all(stores.map((store) => store.close()))) };
  });
});
