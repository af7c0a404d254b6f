// The window of a key as the shared count and this process know it: each may know hits that the other has forgotten.

import type { MemoryCounters } from './memory-counters.ts';
import { endSlackMs, type SharedCount, type SharedHit } from './shared-counters.ts';
import type { Window } from './windows.ts';

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
export function learn(local: MemoryCounters, key: string, windowMs: number, count: SharedCount, nowMs: number): number {
  const window = mergeWindow(local.peek(key, windowMs, nowMs), count, nowMs);
  local.learn(key, window, nowMs);
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
