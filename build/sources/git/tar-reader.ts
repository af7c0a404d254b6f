// Reads the tar that `git archive` writes, with tar-stream. Refuses every type of entry that git does not write. It has
// no process; it holds one file at a time, and only requested ones.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Entry, type Headers } from 'tar-stream';

export interface TarFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The bytes are no such tar, or only a part of one. */
export class TarFault extends Error {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'TarFault';
  }
}

/**
 * The regular files that `wanted` accepts, in the order of the archive. Throws TarFault, and the errors of `chunks` and
 * `wanted`. An archive that ends between two entries counts as complete: git's exit code shows a truncated one.
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  wanted: (path: string, size: number) => boolean,
): AsyncGenerator<TarFile, void> {
  const source = Readable.from(chunks, { objectMode: false });
  let sourceError: unknown;
  source.once('error', (error) => (sourceError = error));
  const parser = extract();
  const fed = pipeline(source, parser).catch(() => undefined); // the loop below gets the same error
  const orFault = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => Promise.reject(error === sourceError ? error : faultOf(error)));
  const entries = parser[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orFault(entries.next());
      if (next.done === true) return;
      const { header } = next.value;
      assertFromGit(header);
      if (header.type === 'file' && wanted(header.name, header.size ?? 0))
        yield { path: header.name, bytes: await orFault(bytesOf(next.value)) };
      else next.value.resume();
    }
  } finally {
    source.destroy();
    parser.destroy();
    await fed;
  }
}

function assertFromGit({ type, size }: Headers): void {
  if (type !== 'file' && type !== 'symlink' && type !== 'directory')
    throw new TarFault(`an entry has the type ${String(type)}`);
  if (!Number.isSafeInteger(size)) throw new TarFault('the size of an entry is not a number');
}

async function bytesOf(entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of entry) pieces.push(piece);
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

function faultOf(error: unknown): TarFault {
  return new TarFault(error instanceof Error ? error.message : String(error), { cause: error });
}
