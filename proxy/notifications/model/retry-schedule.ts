// When a delivery is tried again: the example schedule of Standard Webhooks, with jitter, so that deliveries that
// failed together do not return together. Pure.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits before each attempt, after the one before; the first attempt is at once. */
const waits: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** No receiver may postpone a delivery further than the schedule itself does. */
export const longestAskedMs = 24 * hour;

/** The share of a wait by which jitter changes it, up or down. */
const jitter = 0.1;

/**
 * Milliseconds until the next attempt; undefined: there is none. `failed`: attempts so far. `askedMs`: the receiver's
 * Retry-After, which makes a wait longer and never shorter. `random`: from 0 to 1.
 */
export function waitBeforeNext(failed: number, random: number, askedMs = 0): number | undefined {
  const wait = waits[failed];
  if (wait === undefined) return undefined;
  return Math.round(Math.max(wait * (1 + jitter * (2 * random - 1)), Math.min(askedMs, longestAskedMs)));
}

/** Failures in a row before an endpoint is paused. */
const tolerated = 3;
const firstPauseMs = 30 * second;
const longestPauseMs = hour;

/**
 * The pause of a whole endpoint, in milliseconds, so that a receiver that is down gets one request at a time, and not
 * one for each delivery. `failures`: in a row.
 */
export function endpointPauseMs(failures: number, askedMs = 0): number {
  const own = failures < tolerated ? 0 : Math.min(firstPauseMs * 2 ** (failures - tolerated), longestPauseMs);
  return Math.max(own, Math.min(askedMs, longestAskedMs));
}
