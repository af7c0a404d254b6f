// Aborts a body, from an upstream or a client, that arrives too slowly. A slow body would occupy its slot for minutes
// while others wait.

/** Fewer bytes in so long a time are too few. */
export interface ThroughputFloor {
  readonly bytes: number;
  readonly ms: number;
}

/** The first ten seconds are the allowance for a slow start. */
export const standardThroughputFloor: ThroughputFloor = { bytes: 64 * 1024, ms: 10_000 };

export type ThroughputWatch = ReturnType<typeof watchThroughput>;

export class TooSlow extends Error {}

/** Destroys `body`, with TooSlow, when it comes too slowly. */
export function watchThroughput(
  body: { readonly destroy: (error: Error) => unknown },
  { bytes: least, ms }: ThroughputFloor,
) {
  let came = 0;
  let heldUp = false;
  const timer = setInterval(() => {
    if (came < least && !heldUp) body.destroy(new TooSlow(`the transfer is too slow: ${came} bytes in ${ms / 1000} s`));
    came = 0;
  }, ms);
  return {
    arrived: (bytes: number) => void (came += bytes),
    /** true: the sender is not responsible for this delay */
    waiting: (forUs: boolean) => void (heldUp = forUs),
    end: () => clearInterval(timer),
  };
}
