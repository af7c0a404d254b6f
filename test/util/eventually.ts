// Waits for a condition, and counts the open files of this process.

import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** Checks repeatedly, for two minutes at most. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await check()) && performance.now() < deadline) await sleep(10);
  expect(await check()).toBe(true);
}

/** The number of descriptors of this process on files below `folder`. */
export function openFilesBelow(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false; // closed in the meantime
    }
  }).length;
}
