// Caches files in parsed form, never older than the last publication. A hit returns synchronously; only a read makes a
// promise, and simultaneous readers of one file share it.

import { ByteCache } from './byte-cache.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { sameStamp, stampFile, type FileStamp } from '../files/file-stamp.ts';
import { readWhole, type WholeFile } from '../files/read-whole.ts';
import { UnusableFile } from '../files/unusable-file.ts';

interface Cached<Value> {
  readonly value: Value;
  readonly stamp: FileStamp;
  /** the epoch under which the stamp was last seen to hold */
  epoch: number;
}

/** Parses a file into its cached form. May throw: then nothing is cached, and the caller gets the error. */
export type ParseFile<Value> = (bytes: Buffer, file: Omit<WholeFile, 'bytes'> & { readonly path: string }) => Value;

export interface FileCacheOptions<Value> {
  readonly limitBytes: number;
  /** the memory in bytes that the cached form of a file of `fileBytes` takes */
  readonly weight: (value: Value, fileBytes: number) => number;
  readonly parse: ParseFile<Value>;
  /** Rejects for a file that must not be used: then nothing is cached, and the caller gets the error. */
  readonly read?: (path: string) => Promise<WholeFile | undefined>;
}

export class FileCache<Value> {
  readonly #cache: ByteCache<Cached<Value>>;
  readonly #loading = new SingleFlight<Value | undefined>();
  readonly #parse: ParseFile<Value>;
  readonly #weight: (value: Value, fileBytes: number) => number;
  readonly #readFile: (path: string) => Promise<WholeFile | undefined>;

  constructor(options: FileCacheOptions<Value>) {
    this.#cache = new ByteCache(options.limitBytes);
    this.#weight = options.weight;
    this.#parse = options.parse;
    this.#readFile = options.read ?? readWhole;
  }

  /** The cached form of the file as of `epoch`; undefined: there is no such file. */
  get(path: string, epoch: number): Value | undefined | Promise<Value | undefined> {
    const cached = this.#cache.get(path);
    if (cached === undefined) return this.#load(path, epoch);
    return cached.epoch === epoch ? cached.value : this.revalidate(path, epoch);
  }

  /** As `get`, but checks the file on disk even if the epoch is unchanged. */
  revalidate(path: string, epoch: number): Value | undefined | Promise<Value | undefined> {
    const cached = this.#cache.get(path);
    if (cached === undefined || !sameStamp(stampFile(path), cached.stamp)) return this.#load(path, epoch);
    cached.epoch = epoch;
    return cached.value;
  }

  /** The cached value of `path` has grown by so many bytes. */
  grow(path: string, value: Value, bytes: number): void {
    const cached = this.#cache.get(path);
    if (cached?.value === value) this.#cache.grow(path, cached, bytes);
  }

  /** Removes all entries. */
  clear(): void {
    this.#cache.clear();
  }

  #load(path: string, epoch: number): Promise<Value | undefined> | undefined {
    const running = this.#loading.get(path, [epoch]);
    if (running !== undefined) return running;
    if (stampFile(path) === undefined) {
      this.#cache.delete(path);
      return undefined; // most ~dev documents do not exist: worth no round trip through the thread pool
    }
    return this.#loading.run(path, () => this.#read(path, epoch), [epoch]);
  }

  async #read(path: string, epoch: number): Promise<Value | undefined> {
    const file = await this.#readFile(path);
    if (file === undefined) return undefined;
    const { bytes, stamp } = file;
    const value = this.#parseFile(path, file);
    this.#cache.set(path, { value, stamp, epoch }, this.#weight(value, bytes.length) + 512);
    return value;
  }

  #parseFile(path: string, file: WholeFile): Value {
    try {
      return this.#parse(file.bytes, { ...file, path });
    } catch (error) {
      throw new UnusableFile(`${path} cannot be used; run \`libretto verify\``, { cause: error });
    }
  }
}
