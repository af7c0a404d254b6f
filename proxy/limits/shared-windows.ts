// The window of a key as the shared count and this process know it: each may know hits that the other has forgotten.

import type { MemoryCounters } from './memory-counters.ts';
import { endSlackMs, type SharedCount, type SharedHit } from './shared-counters.ts';
import type { Window } from './windows.ts';

/** What this process tells the server of a key's running window. */
export function floorOf(local: MemoryCounters, key: string, windowMs: number, nowMs: number): SharedHit['floor'] {
  const known = local.peek(key, windowMs, nowMs);
  if (known === undefined) return { used: 0, endsInMs: 0 };
  const endsInMs = known.endsAtMs - nowMs;
  // near the end of ours the server may have begun the next window, which must not be ended with it
  return endsInMs <= endSlackMs ? { used: 0, endsInMs: 0 } : { used: known.used, endsInMs };
}

/**
 * Remembers what the server said, and gives the window's end: the same in every answer, although each measures it anew.
 */
export function learn(local: MemoryCounters, key: string, windowMs: number, count: SharedCount, nowMs: number): number {
  const window = mergeWindow(local.peek(key, windowMs, nowMs), count, nowMs);
  local.learn(key, window, nowMs);
  return window.endsAtMs;
}

/** The window by what the server says and by what this process knows. */
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
