// A body that comes drop by drop is given up, whether an upstream sends it or a client: it would hold its place for
// minutes, and others wait for that.

/** Fewer bytes in so long a time are too few. */
export interface ThroughputFloor {
  readonly bytes: number;
  readonly ms: number;
}

/** The first ten seconds are the allowance for a slow start. */
export const standardThroughputFloor: ThroughputFloor = { bytes: 64 * 1024, ms: 10_000 };

export interface ThroughputWatch {
  readonly arrived: (bytes: number) => void;
  /** what takes its time here is not the sender's fault */
  readonly waiting: (forUs: boolean) => void;
  readonly end: () => void;
}

export class TooSlow extends Error {}

/** Destroys `body`, with TooSlow, when it comes too slowly. */
export function watchThroughput(
  body: { readonly destroy: (error: Error) => unknown },
  { bytes: least, ms }: ThroughputFloor,
): ThroughputWatch {
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
