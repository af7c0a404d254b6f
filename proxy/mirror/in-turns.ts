// Work on large documents a piece at a time, so that other requests get their turn of the event loop in between: a few milliseconds each.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters or bytes: a quarter of a megabyte is read or written in a millisecond or two. */
export const pieceSize = 256 * 1024;
const itemsInTurn = 200;

/** The texts with commas between them; each is made when its turn has come. undefined: all together they are longer than `most`. */
export async function joinInTurns(texts: Iterable<string>, most = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const made: string[] = [];
  let [size, turnAt, items] = [0, pieceSize, 0];
  for (const text of texts) {
    if ((size += text.length) > most) return undefined;
    made.push(text);
    items += 1;
    if (size < turnAt && items < itemsInTurn) continue;
    [turnAt, items] = [size + pieceSize, 0];
    await nextTurn();
  }
  return made.join(',');
}

/** For items that each take some microseconds. */
export async function mapInTurns<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(make(item));
    if (made.length % itemsInTurn === 0) await nextTurn();
  }
  return made;
}
