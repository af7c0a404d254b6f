// Reads the tar that `git archive` writes: ustar with pax headers for what does not fit (archive-tar.c). Strict:
// anything else is refused, since nobody but git is expected here. Knows nothing of processes; holds one file at a
// time, and only those somebody wants.

export interface TarFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** What came is not, or not all of, such a tar. */
export class TarFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TarFault';
  }
}

const blockSize = 512;
/** git's own are a few hundred bytes */
const maxPaxBytes = 1024 * 1024;

/**
 * The ordinary files that `wanted` asks for, in the order they stand. Throws TarFault, and whatever `wanted` throws.
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  wanted: (path: string, size: number) => boolean,
): AsyncGenerator<TarFile, void> {
  const input = new ChunkReader(chunks);
  let pax: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const header = parseHeader(await input.take(blockSize));
    if (header === undefined) return input.drain();
    const size = sizeOf(header, pax);
    const padding = (blockSize - (size % blockSize)) % blockSize;
    if (header.type === 'x' || header.type === 'g') {
      if (size > maxPaxBytes) throw new TarFault('a pax header is too large');
      const records = parsePax(await input.take(size));
      if (header.type === 'x') pax = records;
      await input.skip(padding);
      continue;
    }
    const path = pax.get('path') ?? header.path;
    pax = new Map();
    if (header.type === '0' && wanted(path, size)) {
      const bytes = await input.take(size);
      await input.skip(padding);
      yield { path, bytes };
    } else {
      if (header.type !== '0' && header.type !== '2' && header.type !== '5')
        throw new TarFault(`an entry has the type ${JSON.stringify(header.type)}`);
      await input.skip(header.type === '0' ? size + padding : 0);
    }
  }
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

/** undefined for the block of zeros at the end. */
function parseHeader(block: Buffer): Header | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (octal(block, 148, 8) !== sum || block.toString('latin1', 257, 262) !== 'ustar')
    throw new TarFault('an entry has no valid header');
  const prefix = text(block, 345, 155);
  const name = text(block, 0, 100);
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    size: octal(block, 124, 12),
  };
}

function text(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function octal(block: Buffer, start: number, length: number): number {
  const digits = text(block, start, length).trim();
  if (!/^[0-7]+$/.test(digits)) throw new TarFault('a number of an entry is not octal');
  return Number.parseInt(digits, 8);
}

function sizeOf(header: Header, pax: ReadonlyMap<string, string>): number {
  const told = pax.get('size');
  if (told === undefined || header.type === 'x' || header.type === 'g') return header.size;
  if (!/^[0-9]{1,15}$/.test(told)) throw new TarFault('a size is no number');
  return Number(told);
}

/** `<length> <key>=<value>\n`, the length that of the whole record in bytes. */
function parsePax(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < bytes.length;) {
    const space = bytes.indexOf(32, start);
    const length = space === -1 ? Number.NaN : Number(bytes.toString('latin1', start, space));
    const record = bytes.subarray(space + 1, start + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    if (!Number.isSafeInteger(length) || start + length > bytes.length || start + length <= space + 1 || equals === -1)
      throw new TarFault('a pax header is malformed');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    start += length;
  }
  return records;
}

/** Takes exact numbers of bytes out of chunks of any size. */
class ChunkReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #left: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      const piece = await this.#next(missing);
      pieces.push(piece);
      missing -= piece.length;
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, count);
  }

  async skip(count: number): Promise<void> {
    for (let missing = count; missing > 0;) missing -= (await this.#next(missing)).length;
  }

  /** To the end, so that whoever writes can finish. */
  async drain(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }

  /** Some bytes, at most `limit`. */
  async #next(limit: number): Promise<Buffer> {
    while (this.#left.length === 0) {
      const chunk = await this.#chunks.next();
      if (chunk.done === true) throw new TarFault('it is cut short');
      this.#left = chunk.value;
    }
    const piece = this.#left.subarray(0, limit);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }
}
