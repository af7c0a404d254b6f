// Gives every wait for a condition two minutes, since its limit is against hanging only: Vitest's own is a second,
// which a busy machine exceeds. It changes `vi` once a process. `expect.poll` has its limit in vitest.config.ts.

import { vi } from 'vitest';

type Options = number | { readonly timeout?: number; readonly interval?: number } | undefined;

export const leastWaitMs = 120_000;

function patient(options: Options): { readonly timeout: number; readonly interval: number } {
  const { timeout = 0, interval = 20 } = typeof options === 'number' ? { timeout: options } : (options ?? {});
  return { timeout: Math.max(timeout, leastWaitMs), interval };
}

const { waitFor, waitUntil } = vi;
Object.assign(vi, {
  waitFor: (condition: Parameters<typeof waitFor>[0], options: Options) => waitFor(condition, patient(options)),
  waitUntil: (condition: Parameters<typeof waitUntil>[0], options: Options) => waitUntil(condition, patient(options)),
});
