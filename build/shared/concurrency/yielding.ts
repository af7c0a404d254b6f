// Processes large documents in pieces of a few milliseconds each, so that other requests get their turn of the event
// loop in between.

import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';

/** Characters or bytes: a quarter of a megabyte is read or written in a millisecond or two. */
export const pieceSize = 256 * 1024;
const itemsInTurn = 200;
const turnMs = 5;

/** Called after each item: a promise, when others should have their turn before the next one. */
export function createTurns(items = itemsInTurn): () => Promise<void> | undefined {
  let [done, untilMs] = [0, performance.now() + turnMs];
  return () => {
    done += 1;
    if (done < items && performance.now() < untilMs) return undefined;
    return nextTurn().then(() => {
      [done, untilMs] = [0, performance.now() + turnMs];
    });
  };
}

/** Runs `work` when its turn has come. */
export type InSlices = <Made>(work: () => Made) => Promise<Made>;

/**
 * Runs works one after the other, however many ask at once. After some milliseconds of work, others have their turn.
 * One work should take a few milliseconds at most.
 */
export function createSlices(): InSlices {
  const one = pLimit(1);
  const turn = createTurns(Number.POSITIVE_INFINITY);
  return (work) =>
    one(async () => {
      await turn();
      return work();
    });
}

/** Hex SHA-256. The thread pool would need a copy of the bytes, and copying takes longer than hashing. */
export async function digestInTurns(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  const turn = createTurns(8);
  for (let at = 0; at < bytes.length; at += pieceSize) {
    hash.update(bytes.subarray(at, at + pieceSize));
    await turn();
  }
  return hash.digest('hex');
}

/**
 * The texts with commas between them; each is made when its turn has come. undefined: all together they are longer than
 * `most`.
 */
export async function joinYielding(
  texts: Iterable<string>,
  most = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const made: string[] = [];
  const turn = createTurns();
  let [size, turnAt] = [0, pieceSize];
  for (const text of texts) {
    if ((size += text.length) > most) return undefined;
    made.push(text);
    const over = turn() ?? (size < turnAt ? undefined : nextTurn());
    if (over === undefined) continue;
    turnAt = size + pieceSize;
    await over;
  }
  return made.join(',');
}

/** For items that each take some microseconds, or a few milliseconds at most. */
export async function mapYielding<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  const turn = createTurns();
  for (const item of items) {
    made.push(make(item));
    const over = turn();
    if (over !== undefined) await over;
  }
  return made;
}
