// An append-only store of bytes that later reads find by offset. The newest bytes stay in memory up to a bound. Older
// bytes go to a file, which is created when the first of them arrive. Reads and writes are synchronous: each is small
// and nearly always hits the page cache.

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { StorageError } from '../output/storage-error.ts';
import type { SharedPieces } from './shared-pieces.ts';

export interface SpillFileOptions {
  /** the folder of the file, which is created when needed */
  readonly directory: string;
  /** default 16 */
  readonly slabsInMemory?: number;
  /** default 1 MiB */
  readonly slabBytes?: number;
}

interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  lastUse: number;
}

export function createSpillFile(options: SpillFileOptions): SpillFile {
  return new SpillFile(options);
}

/** The address space is cut into slabs of one size; slab n starts at n × slabBytes, in memory and in the file alike. */
export class SpillFile {
  readonly #path: string;
  readonly #slabBytes: number;
  readonly #slabsInMemory: number;
  readonly #slabs = new Map<number, Slab>();
  #file: number | undefined;
  #closed = false;
  #slabCount = 0;
  #open = -1;
  #clock = 0;

  constructor({ directory, slabsInMemory = 16, slabBytes = 1024 * 1024 }: SpillFileOptions) {
    this.#path = join(directory, `pieces-${randomUUID()}`);
    this.#slabBytes = slabBytes;
    this.#slabsInMemory = slabsInMemory;
  }

  /** Copies `bytes` and returns their offset. */
  readonly append = (bytes: Uint8Array): number => {
    if (bytes.length > this.#slabBytes) {
      const offset = this.reserve(bytes.length);
      this.fill(offset, bytes);
      return offset;
    }
    let slab = this.#slabs.get(this.#open);
    if (slab === undefined || slab.used + bytes.length > this.#slabBytes) slab = this.#openSlab();
    const offset = this.#open * this.#slabBytes + slab.used;
    slab.bytes.set(bytes, slab.used);
    slab.used += bytes.length;
    slab.lastUse = this.#tick();
    return offset;
  };

  /** Offset of `size` bytes that `fill` will write, straight to the file. */
  readonly reserve = (size: number): number => {
    const first = this.#slabCount;
    this.#slabCount += Math.ceil(size / this.#slabBytes);
    return first * this.#slabBytes;
  };

  readonly fill = (offset: number, bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.length;)
      done += this.#guarded((file) => writeSync(file, bytes, done, bytes.length - done, offset + done));
  };

  /** The pieces at these offsets, for any thread to read until `close`. */
  readonly share = (offsets: Iterable<number>): SharedPieces => {
    const slabs = new Map<number, Uint8Array>();
    for (const offset of offsets) {
      const index = Math.floor(offset / this.#slabBytes);
      const slab = this.#slabs.get(index);
      if (slab === undefined || slabs.has(index)) continue;
      slab.lastUse = this.#tick();
      slabs.set(index, slab.bytes);
    }
    return { slabBytes: this.#slabBytes, slabs, path: this.#path, file: this.#file };
  };

  /** Removes the file; later reads fail. */
  readonly close = (): void => {
    this.#closed = true;
    this.#slabs.clear();
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  };

  #openSlab(): Slab {
    if (this.#slabs.size >= this.#slabsInMemory) this.#spillOldest();
    this.#open = this.reserve(this.#slabBytes) / this.#slabBytes;
    const slab = { bytes: new Uint8Array(new SharedArrayBuffer(this.#slabBytes)), used: 0, lastUse: this.#tick() };
    this.#slabs.set(this.#open, slab);
    return slab;
  }

  #spillOldest(): void {
    let oldest: readonly [number, Slab] | undefined;
    for (const entry of this.#slabs) if (oldest === undefined || entry[1].lastUse < oldest[1].lastUse) oldest = entry;
    if (oldest === undefined) return;
    const [index, slab] = oldest;
    this.fill(index * this.#slabBytes, slab.bytes.subarray(0, slab.used));
    this.#slabs.delete(index);
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  #guarded(operation: (file: number) => number): number {
    try {
      this.#file ??= this.#create();
      return operation(this.#file);
    } catch (error) {
      throw new StorageError(this.#path, error);
    }
  }

  #create(): number {
    if (this.#closed) throw new Error('it was closed while it was in use');
    mkdirSync(dirname(this.#path), { recursive: true });
    return openSync(this.#path, 'wx+', 0o600);
  }
}
