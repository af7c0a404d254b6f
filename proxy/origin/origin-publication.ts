// Notices publications at the origin. It requests `index/_publication.json`, which is uploaded last, when a request
// arrives and the last check is older than `checkEveryMs`. No request waits for this check, except at the start and
// after a long pause. While the origin fails, the last known publication stays the current one. packages.json is read
// with the announcement: until the new one could be read, the former one stays in use.

import { NewerFormat } from '../../build/contract/newer-format.ts';
import { isAsWritten } from '../../build/contract/checksum.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { parsePublication, type Publication } from '../../build/contract/publication.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { OriginFailure } from './origin-failure.ts';
import type { OriginRequests } from './origin-requests.ts';
import { patienceMs } from '../../build/shared/concurrency/with-deadline.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { fetchDocument, fetchWhole, type RequestValidators } from './origin-text.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';

export interface OriginPublicationOptions {
  readonly requests: OriginRequests;
  readonly failures: OriginFailureLog;
  /** called once for a publication that only a newer version can read */
  readonly onNewer: (error: Error) => void;
  readonly checkEveryMs: number;
  readonly monotonicMs: () => number;
}

/** packages.json with what the announcement says of it */
export interface PublishedRoot {
  readonly sha256: string;
  readonly lastModified: number;
  readonly bytes: Buffer;
}

const maxBytes = 16 * 1024 * 1024;
/** Two short texts of one second and one length have the same ETag at many servers: short ones are always fetched. */
const fetchedUpToBytes = 16 * 1024;
/** of an object store: the SHA-256 of the text */
const digestTag = /^"[0-9a-f]{64}"$/;
/** An origin that failed is waited for again after this. */
const hopefulAfterMs = 10_000;

export class OriginPublication {
  readonly #options: OriginPublicationOptions;
  /** the text of the last known announcement; null: no publication yet; undefined: not read yet */
  #text: string | null | undefined;
  #publication: Publication | undefined;
  #validators: RequestValidators = {};
  #epoch = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #refusedText: string | undefined;
  #root: PublishedRoot | undefined;
  #rootFailure: unknown;
  readonly #looking = new SingleFlight<void>();

  constructor(options: OriginPublicationOptions) {
    this.#options = options;
  }

  /** A number that grows with every new publication. Rejects with OriginFailure until the first successful check. */
  epoch(): MaybeAsync<number> {
    const ageMs = this.#options.monotonicMs() - this.#lookedAtMs;
    const { checkEveryMs } = this.#options;
    if (ageMs < checkEveryMs) return this.#known(); // throws synchronously: callers handle both
    const look = (): Promise<void> => this.#look();
    const looking = this.#looking.run('publication', look);
    if (this.#text === undefined) return looking.then(() => this.#known());
    if (ageMs <= (this.#failure === undefined ? 2 * checkEveryMs : hopefulAfterMs)) return this.#epoch;
    return this.#looking.within('publication', look, patienceMs, () => undefined).then(() => this.#epoch);
  }

  /** The newest known publication; undefined before the first. Rejects as `epoch` does. */
  async read(): Promise<Publication | undefined> {
    await this.epoch();
    return this.#publication;
  }

  /** The result of the last `read`. */
  get current(): Publication | undefined {
    return this.#publication;
  }

  /** The announcement of `current`, as it was read. */
  get bytes(): Buffer | undefined {
    return this.#publication && Buffer.from(this.#text ?? '');
  }

  /** packages.json as it was last read; undefined before the first publication. Throws if it was never read. */
  get root(): PublishedRoot | undefined {
    if (this.#root === undefined && this.#publication !== undefined) throw this.#rootFailure;
    return this.#root;
  }

  #known(): number {
    if (this.#text === undefined) throw this.#failure;
    return this.#epoch;
  }

  async #look(): Promise<void> {
    try {
      await this.#ask();
      this.#failure = undefined;
      this.#options.failures.reached();
    } catch (error) {
      this.#failure = error;
      this.#options.failures.failed('publication', error);
    } finally {
      this.#lookedAtMs = this.#options.monotonicMs();
    }
  }

  async #ask(): Promise<void> {
    const { requests } = this.#options;
    const asked = { ...this.#validators, newest: true };
    const fetched = await fetchWhole(requests, `index/${publicationPath}`, maxBytes, asked);
    if (fetched.outcome === 'same') return this.#keep();
    if (fetched.outcome === 'absent') {
      if (this.#text !== null) this.#take(null, undefined, {}, undefined);
      return;
    }
    const text = fetched.bytes.toString('utf8');
    if (text === this.#text) return this.#keep();
    const publication = this.#parse(text);
    const { validators } = fetched;
    const isUnique = fetched.bytes.length > fetchedUpToBytes || digestTag.test(validators.ifNoneMatch ?? '');
    if (publication === undefined) return;
    this.#take(text, publication, isUnique ? validators : {}, await this.#readRoot(publication));
  }

  /** The publication is still the newest. */
  async #keep(): Promise<void> {
    this.#options.requests.taken?.();
    if (this.#publication === undefined || this.#publication.root.sha256 === this.#root?.sha256) return;
    const root = await this.#readRoot(this.#publication);
    if (root !== this.#root) this.#epoch += 1;
    this.#root = root;
  }

  /** The one of `publication`, or the former one if it cannot be read. */
  async #readRoot({ root: { sha256, last_modified: lastModified } }: Publication): Promise<PublishedRoot | undefined> {
    try {
      const bytes = await fetchDocument(this.#options.requests, rootDocumentPath, sha256);
      return { sha256, lastModified, bytes };
    } catch (error) {
      this.#options.failures.failed('text', error);
      this.#rootFailure = error;
      return this.#root;
    }
  }

  #take(
    text: string | null,
    publication: Publication | undefined,
    validators: RequestValidators,
    root: PublishedRoot | undefined,
  ): void {
    this.#text = text;
    this.#publication = publication;
    this.#root = root;
    this.#validators = validators;
    this.#options.requests.taken?.();
    this.#epoch += 1;
  }

  /**
   * Undefined for an announcement of a newer version, if an older one is known: that one is still served. Throws
   * OriginFailure for a damaged one.
   */
  #parse(text: string): Publication | undefined {
    try {
      const publication = parsePublication(text);
      if (!isAsWritten(text)) throw new Error('it is damaged');
      return publication;
    } catch (cause) {
      const failure = new OriginFailure(`index/${publicationPath} of the origin: ${(cause as Error).message}`, {
        cause,
      });
      if (!(cause instanceof NewerFormat)) throw failure;
      if (this.#refusedText !== text) this.#options.onNewer(failure);
      this.#refusedText = text;
      if (typeof this.#text !== 'string') throw failure;
      return undefined;
    }
  }
}
