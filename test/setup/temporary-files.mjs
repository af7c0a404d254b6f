// Chooses the folder for the temporary files of `npm test`: in memory where there is space, because many tests sync
// their files. `npm run fault` and a single `vitest run` use the ordinary temporary folder.

import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import process from 'node:process';

const memory = '/dev/shm';
/** The type that statfs(2) gives a tmpfs. */
const tmpfs = 0x01021994;
const gibibyte = 2 ** 30;
/** Bytes that must be free: a run fills less than one GiB. */
const wanted = { inFolder: 4 * gibibyte, inMachine: 8 * gibibyte };

/** Sets TMPDIR for child processes, unless the caller has set it. `say` gets one line with the folder. */
export function placeTemporaryFiles(say) {
  const { TMPDIR } = process.env;
  if (TMPDIR !== undefined || !hasRoom()) {
    say(`temporary files: ${TMPDIR ?? '/tmp'}`);
    return { remove: () => undefined };
  }
  const folder = mkdtempSync(`${memory}/libretto-`);
  // some tests run as a user without rights
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  say(`temporary files: ${folder}, in memory (TMPDIR=/tmp puts them on the disk)`);
  return { remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

function hasRoom() {
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    return type === tmpfs && bavail * bsize >= wanted.inFolder && process.availableMemory() >= wanted.inMachine;
  } catch {
    return false;
  }
}
