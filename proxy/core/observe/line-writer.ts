// Collects lines for a file or descriptor, and writes them in large pieces in the background. A request only pays for
// copying its line. One write runs at a time, so lines keep their order. A reader that stalls (a full pipe) costs
// lines, never memory or requests.

import { closeSync, mkdirSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A chunk is written when it is full, or after a short wait. */
const pieceBytes = 128 * 1024;
const writeEveryMs = 500;
/** Lines are dropped while this number of bytes waits. */
const maxWaiting = 32 * 1024 * 1024;
const busyRetryMs = 50;
/** Only the owner of the service and its group may read client addresses. */
export const logMode = 0o640;

/** the first `length` bytes of a buffer */
interface Piece {
  readonly bytes: Buffer;
  readonly length: number;
}

export class LineWriter {
  readonly #path: string | undefined;
  readonly #onError: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #descriptor: number;
  readonly #cut: boolean;
  /** full pieces before their write, the oldest first; each ends with a line */
  readonly #waiting: Piece[] = [];
  #waitingBytes = 0;
  #piece: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #filled = 0;
  /** a piece that was written, to be filled again */
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;

  /**
   * `destination`: a descriptor, or the path of a file to append to, whose folder is created. Throws Node's error if it
   * cannot be opened. `onError` receives the first of several failed writes in a row. `shared`: other processes write
   * to the destination too, and lines must stay whole. Appends to a file are atomic; a write to a pipe is atomic only
   * up to a limit.
   */
  constructor(destination: number | string, onError: (error: Error) => void, shared = false) {
    this.#cut = shared && typeof destination === 'number';
    this.#path = typeof destination === 'string' ? destination : undefined;
    this.#descriptor = typeof destination === 'string' ? openForAppending(destination) : destination;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.flush(), writeEveryMs).unref();
  }

  write(line: string): void {
    if (this.#waitingBytes > maxWaiting) return;
    const most = line.length * 3; // a character takes three bytes at most
    if (this.#filled + most > pieceBytes) this.#turnOver();
    if (most > pieceBytes) this.#keep(Buffer.from(line));
    else this.#filled += this.#piece.write(line, this.#filled);
  }

  /** Resolves after all earlier lines are written, or their write has failed. */
  flush(): Promise<void> {
    this.#turnOver();
    return this.#writing ?? Promise.resolve();
  }

  /**
   * Opens the file again after its old one was renamed; no effect for a descriptor. Never rejects: if the new file
   * cannot be opened, the old one stays.
   */
  async reopen(): Promise<void> {
    if (this.#path === undefined) return;
    try {
      const fresh = openForAppending(this.#path);
      await this.flush();
      closeSync(this.#descriptor);
      this.#descriptor = fresh;
    } catch (error) {
      this.#onError(asError(error));
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    if (this.#path !== undefined) closeSync(this.#descriptor);
  }

  /** Queues the filled chunk for writing; the next lines go into another chunk. */
  #turnOver(): void {
    if (this.#filled === 0) return;
    const bytes = this.#piece;
    const length = this.#filled;
    this.#piece = this.#spare ?? Buffer.allocUnsafeSlow(pieceBytes);
    this.#spare = undefined;
    this.#filled = 0;
    this.#keep(bytes, length);
  }

  #keep(bytes: Buffer, length = bytes.length): void {
    this.#waiting.push({ bytes, length });
    this.#waitingBytes += length;
    this.#writing ??= this.#writeWaiting();
  }

  async #writeWaiting(): Promise<void> {
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      try {
        const bytes = piece.bytes.subarray(0, piece.length);
        for (const part of this.#cut ? wholeLines(bytes) : [bytes]) await writeWhole(this.#descriptor, part);
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#onError(asError(error));
        this.#failing = true;
      }
      this.#waitingBytes -= piece.length;
      if (piece.bytes.length === pieceBytes) this.#spare = piece.bytes;
    }
    this.#writing = undefined; // in the same turn as the last check of the queue, so that no line is missed
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function openForAppending(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', logMode);
}

const writePiece = promisify(write);

async function writeWhole(descriptor: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += (await writePiece(descriptor, bytes, at, bytes.length - at)).bytesWritten;
    } catch (error) {
      // a full pipe: its reader is slow
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await sleep(busyRetryMs);
    }
  }
}

const atomicBytes = 4096;

/**
 * For a pipe that several processes write to: pieces of whole lines, none longer than `most` but for a line that is
 * itself. `bytes` ends with a line end. Linux writes up to 4096 bytes atomically (PIPE_BUF, pipe(7)). A longer write
 * could mix its lines with lines of another process.
 */
export function wholeLines(bytes: Buffer, most = atomicBytes): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = endOfPiece(bytes, start, most);
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

function endOfPiece(bytes: Buffer, start: number, most: number): number {
  if (bytes.length - start <= most) return bytes.length;
  const last = bytes.lastIndexOf(0x0a, start + most - 1);
  if (last >= start) return last + 1;
  const next = bytes.indexOf(0x0a, start + most);
  return next === -1 ? bytes.length : next + 1;
}
