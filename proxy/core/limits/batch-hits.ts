// Batches the requests of one turn of the event loop into one command to the counting server, with one reply. The
// requests of one token become one number. Each request gets the same answer as if it had been counted alone, in order
// of arrival.

import type { SharedCount, SharedHit } from './shared-counters.ts';

/** Several requests with the same question. */
export interface BatchedHit extends SharedHit {
  readonly requests: number;
}

export interface BatchedCount {
  /** the number of granted requests; for the others the limit was used up */
  readonly granted: number;
  /** requests counted in the window, these included */
  readonly used: number;
  readonly endsInMs: number;
}

/** Counts all of them, in order; as many answers. Rejects when the server is lost, slow, or cannot write. */
export type CountBatch = (hits: readonly BatchedHit[]) => Promise<readonly BatchedCount[]>;

interface Waiting {
  readonly resolve: (count: SharedCount) => void;
  readonly reject: (reason: unknown) => void;
}

interface Gathering {
  readonly hit: SharedHit;
  readonly waiting: Waiting[];
}

export function batchHits(countTogether: CountBatch): (hit: SharedHit) => Promise<SharedCount> {
  let gathered: Gathering[] = [];
  let newest = new Map<string, Gathering>();
  const leave = (): void => {
    const leaving = gathered;
    gathered = [];
    newest = new Map();
    countTogether(leaving.map(({ hit, waiting }) => ({ ...hit, requests: waiting.length }))).then(
      (counts) => leaving.forEach(({ waiting }, at) => share(waiting, counts[at])),
      (reason: unknown) => {
        for (const { waiting } of leaving) for (const { reject } of waiting) reject(reason);
      },
    );
  };
  return (hit) => {
    let gathering = newest.get(hit.key);
    // a limit that was changed within this turn is another question
    if (gathering === undefined || gathering.hit.limit !== hit.limit || gathering.hit.windowMs !== hit.windowMs) {
      gathering = { hit, waiting: [] };
      newest.set(hit.key, gathering);
      if (gathered.push(gathering) === 1) setImmediate(leave);
    }
    const { waiting } = gathering;
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
    });
  };
}

function share(waiting: readonly Waiting[], count: BatchedCount | undefined): void {
  if (count === undefined) {
    for (const { reject } of waiting) reject(new Error('the reply has fewer counts than were asked for'));
    return;
  }
  const { granted, used, endsInMs } = count;
  waiting.forEach(({ resolve }, at) =>
    resolve(
      at < granted ? { admitted: true, used: used - granted + at + 1, endsInMs } : { admitted: false, used, endsInMs },
    ),
  );
}
