// Files kept in memory in parsed form, never older than the last publication. A file is opened once: its stamp and its bytes come from one
// handle, so what is kept is always one content. A hit is answered in place; only reading makes a promise, and simultaneous readers of one
// file share it.

import { open } from 'node:fs/promises';
import { ByteCache } from './byte-cache.ts';
import { isAbsence, sameStamp, stampFile, stampOf, type FileStamp } from './file-stamp.ts';

interface Kept<Value> {
  readonly value: Value;
  readonly stamp: FileStamp;
  /** the epoch under which the stamp was last seen to hold */
  epoch: number;
}

/** Makes the kept form of a file. May throw: then nothing is kept and the error goes to whoever asked. */
export type ParseFile<Value> = (bytes: Buffer, file: { readonly path: string; readonly mtimeMs: number }) => Value;

/** Rejects where the file must not be used: then nothing is kept and the error goes to whoever asked. */
export type CheckFile = (bytes: Buffer, file: { readonly path: string; readonly mtimeMs: number }) => Promise<void>;

export class FileCache<Value> {
  readonly #cache: ByteCache<Kept<Value>>;
  readonly #loading = new Map<string, { readonly epoch: number; readonly value: Promise<Value | undefined> }>();
  readonly #parse: ParseFile<Value>;
  readonly #weight: (value: Value, fileBytes: number) => number;
  readonly #check: CheckFile | undefined;

  /** `weight`: how many bytes of memory the kept form of a file of so many bytes takes. */
  constructor(options: { readonly limitBytes: number; readonly weight: (value: Value, fileBytes: number) => number; readonly parse: ParseFile<Value>; readonly check?: CheckFile }) {
    this.#cache = new ByteCache(options.limitBytes);
    this.#weight = options.weight;
    this.#parse = options.parse;
    this.#check = options.check;
  }

  /** The file's kept form as of `epoch`, or undefined where there is no such file. */
  get(path: string, epoch: number): Value | undefined | Promise<Value | undefined> {
    const kept = this.#cache.get(path);
    if (kept === undefined) return this.#load(path, epoch);
    return kept.epoch === epoch ? kept.value : this.revalidate(path, epoch);
  }

  /** As `get`, but looks at the disk whatever the epoch says. */
  revalidate(path: string, epoch: number): Value | undefined | Promise<Value | undefined> {
    const kept = this.#cache.get(path);
    if (kept === undefined || !sameStamp(stampFile(path), kept.stamp)) return this.#load(path, epoch);
    kept.epoch = epoch;
    return kept.value;
  }

  /** The value kept for `path` has grown by so many bytes. */
  grow(path: string, value: Value, bytes: number): void {
    const kept = this.#cache.get(path);
    if (kept?.value === value) this.#cache.grow(path, kept, bytes);
  }

  /** Keeps nothing any more. */
  clear(): void {
    this.#cache.clear();
  }

  #load(path: string, epoch: number): Promise<Value | undefined> | undefined {
    const running = this.#loading.get(path);
    if (running !== undefined && running.epoch === epoch) return running.value;
    if (stampFile(path) === undefined) {
      this.#cache.delete(path);
      return undefined; // most ~dev documents do not exist: worth no round trip through the thread pool
    }
    const value = this.#read(path, epoch).finally(() => {
      if (this.#loading.get(path)?.value === value) this.#loading.delete(path);
    });
    this.#loading.set(path, { epoch, value });
    return value;
  }

  async #read(path: string, epoch: number): Promise<Value | undefined> {
    const handle = await open(path, 'r').catch((error: unknown) => {
      if (isAbsence(error)) return undefined;
      throw error;
    });
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat({ bigint: true });
      const bytes = await handle.readFile();
      if (BigInt(bytes.length) !== stats.size) throw new Error(`${path} changed while it was read: it must be replaced, never rewritten`);
      await this.#check?.(bytes, { path, mtimeMs: Number(stats.mtimeMs) });
      const value = this.#parseFile(bytes, path, Number(stats.mtimeMs));
      this.#cache.set(path, { value, stamp: stampOf(stats), epoch }, this.#weight(value, bytes.length) + 512);
      return value;
    } finally {
      await handle.close();
    }
  }

  #parseFile(bytes: Buffer, path: string, mtimeMs: number): Value {
    try {
      return this.#parse(bytes, { path, mtimeMs });
    } catch (error) {
      throw new Error(`${path} cannot be used; run \`libretto verify\``, { cause: error });
    }
  }
}
