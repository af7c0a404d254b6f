// The list of one feed in memory: the lines of its file in one buffer, sorted by name, and where each begins. A line is
// parsed when someone asks about its package, so that hundreds of thousands of rows cost little more than their text.
// Pure.

import { createHash } from 'node:crypto';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { countUnconvertible, countUsable, formatLine, noRows, parseLine, type FeedRows } from './feed-rows.ts';

export interface FeedTable {
  /** all lines */
  readonly bytes: Buffer;
  /** the number of packages that the feed was asked about */
  readonly size: number;
  /** the number of rows that can block something */
  readonly rows: number;
  /** the number of rows whose affected versions are unknown */
  readonly unconvertible: number;
  /** of the lines that have rows: the same for lists that say the same */
  readonly digest: string;
  /** undefined: the feed was not asked about this package */
  readonly rowsOf: (name: PackageName) => FeedRows | undefined;
  readonly has: (name: PackageName) => boolean;
  readonly names: () => Iterable<PackageName>;
}

const lineFeed = 10;
const quote = 34;
/** Behind `["`. */
const nameAt = 2;

/** What the header of the file says of its lines. */
export type TableFacts = Pick<FeedTable, 'rows' | 'unconvertible' | 'digest'>;

/** Throws an Error for lines that are no list. */
export function openTable(bytes: Buffer, facts: TableFacts): FeedTable {
  const starts = startsOf(bytes);
  const size = starts.length;
  const nameOf = (index: number): string => {
    const from = (starts[index] ?? 0) + nameAt;
    return bytes.toString('latin1', from, bytes.indexOf(quote, from));
  };
  const find = (name: string): number | undefined => {
    let [low, high] = [0, size - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = nameOf(middle);
      if (found === name) return middle;
      if (found < name) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  };
  return {
    bytes,
    size,
    ...facts,
    has: (name) => find(name) !== undefined,
    rowsOf: (name) => {
      const index = find(name);
      if (index === undefined) return undefined;
      const [from, until] = [starts[index] ?? 0, starts[index + 1] ?? bytes.length];
      // a line without rows is the name alone: `["acme/hello"]`
      return until - from === name.length + nameAt + 3 ? noRows : parseLine(bytes.toString('utf8', from, until));
    },
    names: function* () {
      for (let index = 0; index < size; index += 1) yield nameOf(index) as PackageName;
    },
  };
}

export const emptyTable: FeedTable = openTable(Buffer.alloc(0), {
  rows: 0,
  unconvertible: 0,
  digest: createHash('sha256').digest('hex'),
});

function startsOf(bytes: Buffer): Uint32Array {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    const end = bytes.indexOf(lineFeed, at);
    if (end < 0 || bytes[at] !== 91 || bytes[at + 1] !== quote) throw new Error('a line of it is malformed');
    at = end + 1;
  }
  return Uint32Array.from(starts);
}

/** Gives the event loop to others meanwhile. Rejects with an Error for a list that is larger than `mostBytes`. */
export async function buildTable(
  names: Iterable<PackageName>,
  rowsOf: (name: PackageName) => FeedRows,
  mostBytes: number,
): Promise<FeedTable> {
  const turn = createTurns();
  const pieces: Buffer[] = [];
  const digest = createHash('sha256');
  let [text, rows, unconvertible, length] = ['', 0, 0, 0];
  const flush = (): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    length += piece.length;
    text = '';
    if (length > mostBytes) throw new Error(`the list is larger than ${mostBytes} bytes`);
  };
  for (const name of [...new Set(names)].toSorted()) {
    if (parsePackageName(name) === undefined) throw new Error(`${JSON.stringify(name)} is no name of a package`);
    const said = rowsOf(name);
    rows += countUsable(said);
    unconvertible += countUnconvertible(said);
    const line = formatLine(name, said);
    if (said.advisories.length + said.entries.length > 0) digest.update(line);
    text += line;
    if (text.length > pieceLength) flush();
    await turn();
  }
  flush();
  return openTable(Buffer.concat(pieces), { rows, unconvertible, digest: digest.digest('hex') });
}

const pieceLength = 256 * 1024;
