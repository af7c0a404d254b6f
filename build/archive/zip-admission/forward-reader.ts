// Reads a file once from its beginning, in chunks of any size, and hashes the bytes. After the last byte the hash is
// of exactly the bytes that were examined.

import type { Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { unreadableArchive } from './zip-refusals.ts';

/** The largest size of one read. A ZIP header's name and extra field have 64 KiB each. */
export const windowBytes = 256 * 1024;

export class ForwardReader {
  readonly #descriptor: number;
  /** the offset at which reading stops */
  readonly #end: number;
  readonly #hash: Hash;
  readonly #window: Buffer;
  #windowStart = 0;
  #filled = 0;
  #taken = 0;

  constructor(descriptor: number, end: number, hash: Hash) {
    this.#descriptor = descriptor;
    this.#end = end;
    this.#hash = hash;
    this.#window = Buffer.allocUnsafe(Math.min(windowBytes, end));
  }

  /** Offset of the next byte in the file. */
  get position(): number {
    return this.#windowStart + this.#taken;
  }

  /**
   * The next `count` bytes, at most `windowBytes`. The bytes are valid until the next call. Throws QuarantineError
   * ARCHIVE_UNREADABLE.
   */
  take(count: number): Buffer {
    if (this.#filled - this.#taken < count) this.#fill(count);
    this.#taken += count;
    return this.#window.subarray(this.#taken - count, this.#taken);
  }

  #fill(wanted: number): void {
    if (this.position + wanted > this.#end)
      throw unreadableArchive('is truncated or damaged: an entry runs into its directory');
    this.#window.copyWithin(0, this.#taken, this.#filled);
    this.#windowStart += this.#taken;
    this.#filled -= this.#taken;
    this.#taken = 0;
    while (this.#filled < wanted) {
      const readFrom = this.#windowStart + this.#filled;
      const count = readSync(
        this.#descriptor,
        this.#window,
        this.#filled,
        Math.min(this.#window.length - this.#filled, this.#end - readFrom),
        readFrom,
      );
      if (count === 0) throw unreadableArchive('became shorter while it was being read');
      this.#hash.update(this.#window.subarray(this.#filled, this.#filled + count));
      this.#filled += count;
    }
  }
}
