// Parses what `git cat-file --batch` writes: `<oid> <type> <size>\n<bytes>\n` or `<oid> missing\n`, in the order asked.
// Bytes in, objects out; knows nothing of processes. A body is copied at most once, and one nobody wants is never held.

export interface BatchHeader {
  readonly type: string;
  readonly size: number;
}

export interface BatchEvents {
  /** called once the size is known; false: the bytes are thrown away */
  readonly wanted: (header: BatchHeader) => boolean;
  /** `bytes` is undefined for a body that was not wanted */
  readonly object: (header: BatchHeader, bytes: Buffer | undefined) => void;
  /** a line that is no header: `missing`, `ambiguous`, … */
  readonly absent: (reason: string) => void;
}

export interface BatchParser {
  readonly push: (chunk: Buffer) => void;
}

const lineFeed = 10;

export function createBatchParser(events: BatchEvents): BatchParser {
  let line: Buffer | undefined;
  let header: BatchHeader | undefined;
  let body: Buffer | undefined;
  let filled = 0;

  /** Gives the offset behind the header line, if it is complete. */
  function takeLine(chunk: Buffer, start: number): number {
    const end = chunk.indexOf(lineFeed, start);
    const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
    const whole = line === undefined ? piece : Buffer.concat([line, piece]);
    if (end === -1) {
      line = Buffer.from(whole);
      return chunk.length;
    }
    line = undefined;
    startObject(whole.toString('latin1'));
    return end + 1;
  }

  function startObject(text: string): void {
    const match = /^[0-9a-f]+ (commit|tree|blob|tag) ([0-9]+)$/.exec(text);
    if (match?.[1] === undefined) return events.absent(text.slice(text.indexOf(' ') + 1));
    header = { type: match[1], size: Number(match[2]) };
    body = undefined;
    filled = 0;
    wanted = events.wanted(header);
  }
  let wanted = false;

  /** Takes body bytes and the line feed behind them. */
  function takeBody(chunk: Buffer, start: number, current: BatchHeader): number {
    const end = Math.min(chunk.length, start + current.size - filled);
    if (wanted) keep(chunk.subarray(start, end), current);
    filled += end - start;
    if (filled < current.size || end === chunk.length) return end;
    const finished = body ?? (wanted ? Buffer.alloc(0) : undefined);
    header = undefined;
    body = undefined;
    events.object(current, finished);
    return end + 1;
  }

  function keep(piece: Buffer, current: BatchHeader): void {
    if (piece.length === 0) return;
    if (piece.length === current.size) body = piece;
    else {
      body ??= Buffer.allocUnsafeSlow(current.size);
      piece.copy(body, filled);
    }
  }

  return {
    push(chunk) {
      let offset = 0;
      while (offset < chunk.length)
        offset = header === undefined ? takeLine(chunk, offset) : takeBody(chunk, offset, header);
    },
  };
}
