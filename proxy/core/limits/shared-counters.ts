// The port to a count that several processes share, and the window of a key as that count and this process know it:
// each may know hits that the other has forgotten. Unlike Counters the port may fail: resilient-counters.ts then counts
// locally.

import type { MemoryCounters } from './memory-counters.ts';
import type { Window } from './windows.ts';

/** Two views of one window may differ by this much: more than a reply's way, and an hour's drift of two clocks. */
export const endSlackMs = 1000;

export interface SharedHit {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * This process's own count of the running window. The shared count is raised to `used`, and its end moved forward to
   * `endsInMs`, if the server has lost it (flushed, restarted empty, failed over). 0 and 0: unknown.
   */
  readonly floor: { readonly used: number; readonly endsInMs: number };
}

export interface SharedCount {
  readonly admitted: boolean;
  /** requests counted in the window, this one included if it was admitted */
  readonly used: number;
  readonly endsInMs: number;
}

export interface SharedCounters {
  /** Resolves when the server can be counted on, or after a short while when it cannot. Never rejects. */
  readonly connect: () => Promise<void>;
  /** Counts and decides in one atomic step. Rejects when the server is lost, slow, or cannot write. */
  readonly hit: (hit: SharedHit) => Promise<SharedCount>;
  /** The current count of `key`, without counting; undefined: none. Rejects when the server is lost or slow. */
  readonly peek: (key: string) => Promise<Pick<SharedCount, 'used' | 'endsInMs'> | undefined>;
  readonly close: () => Promise<void>;
}

/** The floor that this process sends for a key's running window. */
export function floorOf(local: MemoryCounters, key: string, windowMs: number, nowMs: number): SharedHit['floor'] {
  const known = local.peek(key, windowMs, nowMs);
  if (known === undefined) return { used: 0, endsInMs: 0 };
  const endsInMs = known.endsAtMs - nowMs;
  // near the end of the local window the server may have started the next window, which must not end with the local one
  return endsInMs <= endSlackMs ? { used: 0, endsInMs: 0 } : { used: known.used, endsInMs };
}

/**
 * Remembers the server's reply, and returns the window's end, equal in every answer although each reply measures it
 * again.
 */
export function adoptReply(
  local: MemoryCounters,
  key: string,
  windowMs: number,
  count: SharedCount,
  nowMs: number,
): number {
  const window = mergeWindow(local.peek(key, windowMs, nowMs), count, nowMs);
  local.adopt(key, window, nowMs);
  return window.endsAtMs;
}

/** Combines the server's window with this process's own. */
export function mergeWindow(
  known: Window | undefined,
  { used, endsInMs }: Pick<SharedCount, 'used' | 'endsInMs'>,
  nowMs: number,
): Window {
  // `nowMs` is from before the request went out, so this is never later than the server's own end
  const endsAtMs = nowMs + endsInMs;
  if (known === undefined || endsAtMs > known.endsAtMs + endSlackMs) return { used, endsAtMs };
  return { used: Math.max(used, known.used), endsAtMs: Math.min(endsAtMs, known.endsAtMs) };
}
