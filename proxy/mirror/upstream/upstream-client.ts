// Sends requests for documents and archives to upstreams, through the guard of all egress (cases 68 and 69), within
// limits of size and time, with backoff (case 75). A failure is UpstreamUnavailable, with the earliest time of a new
// attempt.

import type { Readable } from 'node:stream';
import { createAddressPolicy } from '../../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../../build/egress/guarded-agent.ts';
import { discard, type GuardedAnswer } from '../../../build/egress/guarded-request.ts';
import { UnusableBody, readDecoded } from './decoded-body.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import type { Destination } from './upstream-credential.ts';
import { UpstreamLane, type SilentOrigins } from './upstream-lane.ts';
import { KeyedSemaphore } from '../../../build/shared/concurrency/keyed-semaphore.ts';

export interface ClientOptions {
  /** CIDR ranges of allowed private addresses */
  readonly allowAddresses?: readonly string[];
  readonly resolve?: Resolve;
  /** `Libretto/1.2.3` */
  readonly userAgent: string;
  readonly limits?: Partial<ClientLimits>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** a number from 0 up to 1 */
  readonly random?: () => number;
}

export interface ClientLimits {
  /** the largest document, decompressed */
  readonly documentBytes: number;
  readonly documentMs: number;
  readonly archiveMs: number;
  /** the longest pause between two bytes */
  readonly idleTimeoutMs: number;
  readonly connectMs: number;
  /** concurrent requests of documents to one origin */
  readonly documents: number;
}

/** The largest document of the public registry has some 3 MB. Composer itself waits 300 s for an archive. */
export const standardLimits: ClientLimits = {
  documentBytes: 32 * 1024 ** 2,
  documentMs: 30_000,
  archiveMs: 280_000,
  idleTimeoutMs: 20_000,
  connectMs: 10_000,
  documents: 16,
};

/** The validators of the last answer, for a conditional request. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export type DocumentAnswer =
  | ({ readonly outcome: 'fetched'; readonly bytes: Buffer } & Validators)
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'missing' };

interface DocumentRequest {
  readonly url: URL;
  readonly destination: Destination;
  readonly validators?: Validators | undefined;
  readonly form?: string | undefined;
}

export interface ArchiveStream {
  /** a broken connection ends it with an error */
  readonly body: Readable;
  /** undefined: the upstream does not name it */
  readonly size: number | undefined;
}

export class UpstreamClient {
  readonly #options: ClientOptions;
  readonly #limits: ClientLimits;
  readonly #documents: UpstreamLane;
  readonly #archives: UpstreamLane;
  readonly #feeds: UpstreamLane;
  readonly #slots: KeyedSemaphore;

  /** Throws for an invalid entry in `allowAddresses`. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
    const policy = createAddressPolicy(options.allowAddresses ?? []);
    const { connectMs, idleTimeoutMs, documents } = this.#limits;
    const lane = (withholds: boolean, silent: SilentOrigins): UpstreamLane =>
      new UpstreamLane({
        access: {
          policy,
          agent: createGuardedAgent(policy, options.resolve ?? resolveBySystem, {
            connectTimeoutMs: connectMs,
            idleTimeoutMs,
          }),
        },
        withholds,
        silent,
        userAgent: options.userAgent,
        now: options.now,
        random: options.random ?? Math.random,
      });
    const silent: SilentOrigins = new Map();
    this.#documents = lane(false, silent);
    this.#archives = lane(true, silent);
    this.#feeds = lane(false, new Map());
    this.#slots = new KeyedSemaphore(documents);
  }

  /**
   * Rejects with UpstreamUnavailable. `validators`: of the caller's copy; without them the answer is never `unchanged`.
   * `form`: sent by POST.
   */
  document(url: URL, destination: Destination, validators?: Validators, form?: string): Promise<DocumentAnswer> {
    return this.#document(this.#documents, { url, destination, validators, form });
  }

  /** Like `document`; a failure says nothing of the documents of the same host. */
  feed(url: URL, destination: Destination): Promise<DocumentAnswer> {
    return this.#document(this.#feeds, { url, destination });
  }

  async #document(
    lane: UpstreamLane,
    { url, destination, validators, form }: DocumentRequest,
  ): Promise<DocumentAnswer> {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      ...(validators?.lastModified === undefined ? {} : { 'if-modified-since': validators.lastModified }),
      ...(validators?.etag === undefined ? {} : { 'if-none-match': validators.etag }),
    };
    const use = async ({ response }: GuardedAnswer): Promise<DocumentAnswer | undefined> => {
      const { status, headers: answered } = response;
      if (status === 404 || status === 410) return thenDiscard(response, { outcome: 'missing' });
      if (status === 304 && validators !== undefined) return thenDiscard(response, { outcome: 'unchanged' });
      if (status !== 200) return undefined;
      const bytes = await readDecoded(response.body, answered['content-encoding'], this.#limits.documentBytes);
      return { outcome: 'fetched', bytes, etag: answered['etag'], lastModified: answered['last-modified'] };
    };
    const { documentMs } = this.#limits;
    const ask = (): Promise<DocumentAnswer> =>
      lane.ask({ url, destination, headers, timeoutMs: documentMs, form, use });
    return this.#slots.use(url.origin, ask, documentMs, () => {
      throw new UpstreamUnavailable(`Too many requests to ${url.origin} are waiting.`, this.#options.now() + 1000);
    });
  }

  /**
   * Rejects with UpstreamUnavailable and UpstreamWithholds. The caller reads or destroys the body, and limits the
   * number of concurrent requests.
   */
  archive(url: URL, destination: Destination, maxBytes: number): Promise<ArchiveStream> {
    const headers = { accept: 'application/zip, */*;q=0.1', 'accept-encoding': 'identity' };
    const use = ({ response }: GuardedAnswer): ArchiveStream | undefined => {
      if (response.status !== 200) return undefined;
      const encoding = response.headers['content-encoding'];
      const size = sizeOf(response.headers['content-length']);
      const refusal =
        encoding !== undefined && encoding !== 'identity'
          ? `it comes in an encoding (${encoding.slice(0, 40)}) that was not requested`
          : size !== undefined && size > maxBytes
            ? `it has ${size} bytes, and at most ${maxBytes} are fetched`
            : undefined;
      if (refusal === undefined) return { body: response.body, size };
      discard(response);
      throw new UnusableBody(refusal);
    };
    return this.#archives.ask({ url, destination, headers, timeoutMs: this.#limits.archiveMs, use });
  }

  close(): Promise<void> {
    for (const lane of [this.#documents, this.#archives, this.#feeds]) lane.close();
    return Promise.resolve();
  }
}

function thenDiscard<Answer>(response: GuardedAnswer['response'], answer: Answer): Answer {
  discard(response);
  return answer;
}

function sizeOf(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}
