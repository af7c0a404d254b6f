// Lines to a file or descriptor, gathered and written in large pieces in the background: a request pays for a string concatenation, not for a
// write. One write is under way at a time, so lines keep their order; a reader that stalls (a full pipe) costs lines, never memory or requests.

import { closeSync, mkdirSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const writeAtLength = 32 * 1024;
const writeEveryMs = 500;
/** Characters waiting beyond this are dropped. */
const maxWaiting = 32 * 1024 * 1024;
const busyRetryMs = 50;

export class LineWriter {
  readonly #path: string | undefined;
  readonly #onError: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #descriptor: number;
  #waiting = '';
  #writing: Promise<void> | undefined;
  #failing = false;

  /**
   * `destination`: a descriptor, or the path of a file to append to, whose folder is made. Throws Node's error where it cannot be opened.
   * `onError` hears the first of several failed writes in a row.
   */
  constructor(destination: number | string, onError: (error: Error) => void) {
    this.#path = typeof destination === 'string' ? destination : undefined;
    this.#descriptor = typeof destination === 'string' ? openForAppending(destination) : destination;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.flush(), writeEveryMs).unref();
  }

  write(line: string): void {
    if (this.#waiting.length > maxWaiting) return;
    this.#waiting += line;
    if (this.#waiting.length >= writeAtLength) void this.flush();
  }

  /** Resolves once everything handed over so far is written, or could not be. */
  flush(): Promise<void> {
    if (this.#writing === undefined && this.#waiting === '') return Promise.resolve();
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Opens the file anew, after its old one was renamed; nothing for a descriptor. Never rejects: where it cannot be opened the old one stays. */
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

  async #writeWaiting(): Promise<void> {
    while (this.#waiting !== '') {
      const piece = Buffer.from(this.#waiting);
      this.#waiting = '';
      try {
        await writeWhole(this.#descriptor, piece);
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#onError(asError(error));
        this.#failing = true;
      }
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function openForAppending(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o640);
}

const writePiece = promisify(write);

async function writeWhole(descriptor: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await writePiece(descriptor, bytes, at, bytes.length - at)).bytesWritten;
    } catch (error) {
      // a pipe whose reader is behind
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await sleep(busyRetryMs);
    }
  }
}
