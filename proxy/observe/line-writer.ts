// Lines to a file or descriptor, gathered and written in large pieces in the background: a request pays for copying its
// line, not for a write. One write is under way at a time, so lines keep their order; a reader that stalls (a full
// pipe) costs lines, never memory or requests.

import { closeSync, mkdirSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { wholeLines } from './whole-lines.ts';

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
  /** pieces that are to be written, the oldest first; each ends with a line */
  readonly #waiting: Piece[] = [];
  #waitingBytes = 0;
  #piece: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #filled = 0;
  /** a piece that was written, to be filled again */
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;
  #failing = false;

  /**
   * `destination`: a descriptor, or the path of a file to append to, whose folder is made. Throws Node's error where it
   * cannot be opened. `onError` hears the first of several failed writes in a row. `shared`: other processes write
   * there too, and lines have to stay whole. To a file everybody appends in one go, to a pipe only as much as it takes
   * at once.
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

  /** Resolves once everything handed over so far is written, or could not be. */
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
    this.#writing = undefined; // with the last look at what waits, so that nothing comes in between
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
      // a pipe whose reader is behind
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await sleep(busyRetryMs);
    }
  }
}
