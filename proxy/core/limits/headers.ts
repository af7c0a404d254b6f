// The X-RateLimit-* headers of the interface, made from the count of a request.

import type { Count } from './counters.ts';

/** Flat name, value list. Reset is in epoch seconds, rounded up: at that second the window is over for certain. */
export function rateLimitHeaders(limit: number, count: Count): readonly string[] {
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(Math.max(0, count.remaining)),
    'X-RateLimit-Reset',
    String(Math.ceil(count.resetAtMs / 1000)),
  ];
}

/** Seconds until the window ends: whole, at least 1, never negative however the clock was stepped. */
export function retryAfterSeconds(count: Count, nowMs: number): number {
  return Math.max(1, Math.ceil((count.resetAtMs - nowMs) / 1000));
}
