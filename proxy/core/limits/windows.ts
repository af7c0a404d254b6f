// The windows that a process knows, in one Map: the number of counted requests of each key, and the end of the window.
// Bounded: a window that has ended makes room when another begins.

/** The window of every limit: an hour (service interface, section Limits). */
export const limitWindowMs = 3_600_000;

/** The window of one key. */
export interface Window {
  /** requests counted in it */
  readonly used: number;
  /** epoch milliseconds; from then on it is over */
  readonly endsAtMs: number;
}

export type Windows = ReturnType<typeof createWindows>;

export function createWindows() {
  const windows = new Map<string, Window>();
  return {
    /** The window that runs at `nowMs`, or undefined: the next request begins one. */
    current: (key: string, windowMs: number, nowMs: number): Window | undefined => {
      const window = windows.get(key);
      if (window === undefined || nowMs >= window.endsAtMs) return undefined;
      // after a clock was set back, a window must not exceed its length
      const latestEnd = nowMs + windowMs;
      return window.endsAtMs > latestEnd ? { used: window.used, endsAtMs: latestEnd } : window;
    },
    set: (key: string, window: Window, nowMs: number): void => {
      if (windows.get(key)?.endsAtMs !== window.endsAtMs) {
        // a Map keeps the order of insertion: windows of one length end in the order of their start, so the ended ones
        // come first
        windows.delete(key);
        dropEnded(windows, nowMs);
      }
      windows.set(key, window);
    },
    entries: () => windows.entries(),
    size: () => windows.size,
  };
}

function dropEnded(windows: Map<string, Window>, nowMs: number): void {
  for (const [key, { endsAtMs }] of windows) {
    if (nowMs < endsAtMs) return;
    windows.delete(key);
  }
}

/** The result of a request in a window of `limit` with `used` requests before it. */
export function decide(
  used: number,
  limit: number,
  endsAtMs: number,
): { readonly admitted: boolean; readonly remaining: number; readonly resetAtMs: number } {
  const admitted = used < limit;
  return { admitted, remaining: admitted ? limit - used - 1 : 0, resetAtMs: endsAtMs };
}
