// A body that comes drop by drop is given up: it would hold its place for minutes, and others wait for that.

import type { Readable } from 'node:stream';

/** Fewer bytes in so long a time are too few. */
export interface LeastSpeed {
  readonly bytes: number;
  readonly ms: number;
}

export interface SpeedWatch {
  readonly arrived: (bytes: number) => void;
  /** what takes its time here is not the sender's fault */
  readonly waiting: (forUs: boolean) => void;
  readonly end: () => void;
}

export class TooSlow extends Error {}

/** Destroys `body`, with TooSlow, when it comes too slowly. */
export function watchSpeed(body: Readable, { bytes: least, ms }: LeastSpeed): SpeedWatch {
  let came = 0;
  let heldUp = false;
  const timer = setInterval(() => {
    if (came < least && !heldUp) body.destroy(new TooSlow(`it comes too slowly, ${came} bytes in ${ms / 1000} s`));
    came = 0;
  }, ms);
  return {
    arrived: (bytes) => void (came += bytes),
    waiting: (forUs) => void (heldUp = forUs),
    end: () => clearInterval(timer),
  };
}
