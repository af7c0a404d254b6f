// Caches data derived from the origin's serving indexes. After a publication one request fetches each index again, for
// all callers that wait. If the origin cannot deliver an index, the cached data stays in use.

import { isAsWritten } from '../../build/contract/checksum.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { parsePackageIndex, type PackageIndex } from '../../build/contract/serving-index.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { patienceMs } from '../../build/shared/concurrency/with-deadline.ts';
import { OriginFailure } from './origin-failure.ts';
import type { OriginRequests } from './origin-requests.ts';
import { fetchWhole, type RequestValidators } from './origin-text.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';

interface Cached<Value> {
  readonly value: Value | undefined;
  readonly validators: RequestValidators;
  /** the epoch under which it was last seen to hold */
  epoch: number;
  askedAtMs: number;
}

export interface OriginIndexesOptions<Value> {
  readonly requests: OriginRequests;
  readonly failures: OriginFailureLog;
  readonly limitBytes: number;
  /** the memory per byte of an index in its cached form */
  readonly weight: number;
  readonly make: (index: PackageIndex, bytes: Buffer) => Value;
  readonly monotonicMs: () => number;
}

const maxBytes = 64 * 1024 * 1024;
/**
 * The minimum time between two requests for one package, for any number of client requests for missing versions, and
 * during failures of the origin.
 */
const againAfterMs = 1000;
/** Marks a missing value as never fetched: its next use requests the file again. */
const unknown = -1;

export class OriginIndexes<Value> {
  readonly #options: OriginIndexesOptions<Value>;
  readonly #cached: ByteCache<Cached<Value>>;
  readonly #loading = new SingleFlight<Value | undefined>();

  constructor(options: OriginIndexesOptions<Value>) {
    this.#options = options;
    this.#cached = new ByteCache(options.limitBytes);
  }

  /**
   * The value as of `epoch`, or the last known one while the origin fails; undefined: there is none. Rejects with
   * OriginFailure if no value was ever known.
   */
  get(name: PackageName, epoch: number): MaybeAsync<Value | undefined> {
    const cached = this.#cached.get(name);
    return cached?.epoch === epoch ? cached.value : this.again(name, epoch);
  }

  /** Like `get`, but sends a request in any epoch, unless one was sent a moment ago. */
  again(name: PackageName, epoch: number): MaybeAsync<Value | undefined> {
    const cached = this.#cached.get(name);
    if (cached === undefined) return this.anew(name, epoch);
    const recently = this.#options.monotonicMs() - cached.askedAtMs < againAfterMs;
    if (recently && (cached.epoch === epoch || cached.epoch === unknown)) return cached.value;
    return this.#loading.within(
      `${epoch} ${name}`,
      () => this.#load(name, epoch),
      patienceMs,
      () => cached.value,
    );
  }

  /** Sends a request in any case. */
  anew(name: PackageName, epoch: number): Promise<Value | undefined> {
    return this.#loading.run(`${epoch} ${name}`, () => this.#load(name, epoch));
  }

  /** True if the cached value is valid under `epoch`. */
  holds(name: PackageName, epoch: number): boolean {
    return this.#cached.get(name)?.epoch === epoch;
  }

  async #load(name: PackageName, epoch: number): Promise<Value | undefined> {
    const cached = this.#cached.get(name);
    try {
      const fetched = await fetchWhole(
        this.#options.requests,
        `index/${indexPath(name)}`,
        maxBytes,
        cached?.validators,
      );
      if (fetched.outcome === 'absent') return this.#store(name, { value: undefined, validators: {}, epoch }, 0);
      if (fetched.outcome === 'whole')
        return this.#store(
          name,
          {
            value: this.#options.make(parseIndex(fetched.bytes, name), fetched.bytes),
            validators: fetched.validators,
            epoch,
          },
          fetched.bytes.length,
        );
      if (cached !== undefined) return this.#hold(cached, epoch);
      throw new OriginFailure(`the origin answered 304 for the index of ${name}, which nobody asked`);
    } catch (error) {
      this.#options.failures.failed('text', error);
      if (cached === undefined) throw error;
      return this.#hold(cached, unknown);
    }
  }

  #hold(cached: Cached<Value>, epoch: number): Value | undefined {
    cached.epoch = epoch;
    cached.askedAtMs = this.#options.monotonicMs();
    return cached.value;
  }

  #store(name: PackageName, cached: Omit<Cached<Value>, 'askedAtMs'>, bytes: number): Value | undefined {
    this.#cached.set(name, { ...cached, askedAtMs: this.#options.monotonicMs() }, bytes * this.#options.weight + 512);
    return cached.value;
  }
}

function parseIndex(bytes: Buffer, name: PackageName): PackageIndex {
  const text = bytes.toString('utf8');
  try {
    const index = parsePackageIndex(text);
    if (index.name !== name) throw new Error(`it is of ${index.name}`);
    if (!isAsWritten(text)) throw new Error('it is damaged');
    return index;
  } catch (cause) {
    throw new OriginFailure(`index/${indexPath(name)} of the origin: ${(cause as Error).message}`, { cause });
  }
}
