// The port to the request counters: a fixed window per token that starts with its first request. Counting and deciding
// are one atomic step, so a limit is exact for any number of parallel requests.

import type { Window } from './windows.ts';

/** The result of counting one request. */
export interface Count {
  /** false: the limit was used up before this request, which was not counted */
  readonly admitted: boolean;
  /** requests left in this window after this one; never negative */
  readonly remaining: number;
  /** end of the window, epoch milliseconds */
  readonly resetAtMs: number;
}

export interface Counters {
  /**
   * Counts one request of `key` against `limit` (at least 1) in a window of `windowMs`. Never rejects: an
   * implementation that loses its server counts locally.
   */
  readonly hit: (key: string, limit: number, windowMs: number, nowMs: number) => Count | Promise<Count>;
  /**
   * The window of `key` that runs at `nowMs`, without counting anything; undefined: the next request begins one. Never
   * rejects.
   */
  readonly peek: (key: string, windowMs: number, nowMs: number) => Window | undefined | Promise<Window | undefined>;
  /** true while a shared count is replaced by a local one */
  readonly degraded: () => boolean;
  readonly close: () => Promise<void>;
}
