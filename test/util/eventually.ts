// Waiting for what happens a little later, and looking at what this process holds open.

import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** Looks again and again, for five seconds at most. */
export async function eventually(check: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200 && !check(); turn += 1) await sleep(25);
  expect(check()).toBe(true);
}

/** How many descriptors this process holds on files below `folder`. */
export function openFilesBelow(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false; // closed while we looked
    }
  }).length;
}
