// Reading with synchronous calls is several times faster than one promise a file. Such a read must not delay timers for
// long, because the build lock's heartbeat and Ctrl-C run on the same thread.

import { setImmediate } from 'node:timers/promises';

/** Counts work in bytes, and lets others run whenever enough of it was done. */
export type Pause = (bytes: number) => Promise<void> | undefined;

/** About 20 ms of hashing. */
const bytesBetweenPauses = 8 * 1024 * 1024;

/** The assumed cost of opening one file, in bytes read. */
export const costOfFile = 16 * 1024;

export function createPause(): Pause {
  let done = 0;
  return (bytes) => {
    done += bytes;
    if (done < bytesBetweenPauses) return undefined;
    done = 0;
    return setImmediate();
  };
}
