// Parses the output of `git cat-file --batch`: `<oid> <type> <size>
// <bytes>
// ` or `<oid> missing
// `, in the order of the requests. The parser copies a body at most once, and drops the bytes of an unwanted body
// immediately.

export interface BatchHeader {
  readonly type: string;
  readonly size: number;
}

export interface BatchEvents {
  /** called with the type and size of an object; false: the parser drops its bytes */
  readonly wanted: (header: BatchHeader) => boolean;
  /** `bytes` is undefined for an unwanted body */
  readonly object: (header: BatchHeader, bytes: Buffer | undefined) => void;
  /** called with any other line: `missing`, `ambiguous`, … */
  readonly absent: (reason: string) => void;
}

const lineFeed = 10;

export class BatchParser {
  readonly #events: BatchEvents;
  /** the start of an incomplete header line */
  #line: Buffer | undefined;
  #header: BatchHeader | undefined;
  #isWanted = false;
  #body: Buffer | undefined;
  #filled = 0;

  constructor(events: BatchEvents) {
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let offset = 0;
    while (offset < chunk.length)
      offset = this.#header === undefined ? this.#takeLine(chunk, offset) : this.#takeBody(chunk, offset, this.#header);
  }

  /** Returns the offset behind the header line, or the end of the chunk if the line is incomplete. */
  #takeLine(chunk: Buffer, start: number): number {
    const end = chunk.indexOf(lineFeed, start);
    const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
    const whole = this.#line === undefined ? piece : Buffer.concat([this.#line, piece]);
    if (end === -1) {
      this.#line = Buffer.from(whole);
      return chunk.length;
    }
    this.#line = undefined;
    this.#startObject(whole.toString('latin1'));
    return end + 1;
  }

  #startObject(text: string): void {
    const match = /^[0-9a-f]+ (commit|tree|blob|tag) ([0-9]+)$/.exec(text);
    if (match?.[1] === undefined) return this.#events.absent(text.slice(text.indexOf(' ') + 1));
    this.#header = { type: match[1], size: Number(match[2]) };
    this.#body = undefined;
    this.#filled = 0;
    this.#isWanted = this.#events.wanted(this.#header);
  }

  /** Takes bytes of the body, and the line feed behind the body. */
  #takeBody(chunk: Buffer, start: number, current: BatchHeader): number {
    const end = Math.min(chunk.length, start + current.size - this.#filled);
    if (this.#isWanted) this.#store(chunk.subarray(start, end), current);
    this.#filled += end - start;
    if (this.#filled < current.size || end === chunk.length) return end;
    const finished = this.#body ?? (this.#isWanted ? Buffer.alloc(0) : undefined);
    this.#header = undefined;
    this.#body = undefined;
    this.#events.object(current, finished);
    return end + 1;
  }

  /** A body inside one chunk is not copied. */
  #store(piece: Buffer, current: BatchHeader): void {
    if (piece.length === 0) return;
    if (piece.length === current.size) this.#body = piece;
    else {
      this.#body ??= Buffer.allocUnsafeSlow(current.size);
      piece.copy(this.#body, this.#filled);
    }
  }
}
