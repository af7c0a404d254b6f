// The stored record of a budget of attempts, and its rules. Pure: time is an argument.

import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { forgetMs, type Budget } from './attempt-budgets.ts';

/** A budget at one moment. */
export interface BudgetState {
  /** failures that count */
  readonly count: number;
  /** when the last failure happened, epoch milliseconds; 0 without one */
  readonly lastMs: number;
  /** attempts in flight: id → when they began */
  readonly held: Readonly<Record<string, number>>;
}

/**
 * A longer attempt belongs to a process that was killed. It then counts as a failure, so that killing a process gains
 * no guesses.
 */
export const leaseMs = 15_000;

const attemptRecord = z.strictObject({
  count: z.number().int().min(0),
  last_ms: z.number(),
  held: z.record(z.string(), z.number()).default({}),
});

/** A row as stored. Throws StateError when it is malformed, so that damage grants no further guesses. */
export function parseAttemptRecord(value: JsonValue): z.infer<typeof attemptRecord> {
  const parsed = attemptRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformedRecord('A count of wrong guesses');
}

/** The state of a budget from a row's value; undefined: there is no row. A clock that was set back prolongs no wait. */
export function standingAt(value: JsonValue | undefined, nowMs: number): BudgetState {
  if (value === undefined) return { count: 0, lastMs: 0, held: {} };
  const { count, last_ms, held } = parseAttemptRecord(value);
  const isAbandoned = ([, startedMs]: readonly [string, number]): boolean => Math.abs(nowMs - startedMs) >= leaseMs;
  const abandoned = Object.entries(held).filter(isAbandoned);
  const lastMs = Math.min(nowMs, Math.max(last_ms, ...abandoned.map(([, startedMs]) => startedMs)));
  const living = Object.fromEntries(Object.entries(held).filter((entry) => !isAbandoned(entry)));
  return nowMs - lastMs >= forgetMs
    ? { count: 0, lastMs: 0, held: living }
    : { count: count + abandoned.length, lastMs, held: living };
}

/** The row of a budget; undefined: the budget has no failure and no attempt. */
export function recordOf({ count, lastMs, held }: BudgetState): JsonObject | undefined {
  const isHeld = Object.keys(held).length > 0;
  if (count === 0 && !isHeld) return undefined;
  return { count, last_ms: count === 0 ? 0 : lastMs, ...(isHeld ? { held } : {}) };
}

/** Milliseconds until the next attempt, by the clock of the failures alone; 0 or less: none. */
export function waitOf({ free, firstMs, longestMs }: Budget, { count, lastMs }: BudgetState, nowMs: number): number {
  if (count < free) return 0;
  const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(count - free, 30));
  return lastMs + delayMs - nowMs;
}

/** True if one more attempt may be in flight: even if all of them fail, the budget holds. */
export function hasRoom({ free }: Budget, { count, held }: BudgetState): boolean {
  const inFlight = Object.keys(held).length;
  return count + inFlight < free || inFlight === 0;
}

export function withReservation(state: BudgetState, id: string, nowMs: number): BudgetState {
  return { ...state, held: { ...state.held, [id]: nowMs } };
}

/**
 * Removes the attempt `id`, and counts it if it failed. An attempt that was assumed abandoned has already been counted.
 */
export function withoutReservation(state: BudgetState, id: string, failed: boolean, nowMs: number): BudgetState {
  const { [id]: startedMs, ...held } = state.held;
  if (startedMs === undefined || !failed) return { ...state, held };
  return { count: state.count + 1, lastMs: nowMs, held };
}
