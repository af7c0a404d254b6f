// Requests to upstreams: through the guard that all egress passes (cases 68 and 69), within limits of size and time,
// with pauses for who asks for them (case 75). What it cannot get is UpstreamUnavailable, with the time from which on
// asking again makes sense.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { createAddressPolicy } from '../../../build/egress/address-policy.ts';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../../build/egress/guarded-agent.ts';
import { discard, getGuarded, type Door, type GuardedAnswer } from '../../../build/egress/guarded-request.ts';
import { UnusableBody, readDecoded } from './decoded-body.ts';
import { failedAnswer, failedRequest, type ClassifiedFailure } from './classify-failure.ts';
import { UpstreamUnavailable, UpstreamWithholds } from './mirror-failure.ts';
import { HostBackoff } from './host-backoff.ts';
import { KeyedSemaphore } from '../../../build/shared/concurrency/keyed-semaphore.ts';
import { credentialHeader, maySendCredential, type GivenCredential } from './upstream-credential.ts';

export interface ClientOptions {
  /** CIDR ranges that may be asked although they are not public */
  readonly allowAddresses?: readonly string[];
  readonly resolve?: Resolve;
  /** `Libretto/1.2.3` */
  readonly userAgent: string;
  readonly limits?: Partial<ClientLimits>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** from 0 up to 1 */
  readonly random?: () => number;
}

export interface ClientLimits {
  /** of a document, unpacked */
  readonly documentBytes: number;
  readonly documentMs: number;
  readonly archiveMs: number;
  /** for how long nothing may arrive */
  readonly silenceMs: number;
  readonly connectMs: number;
  /** documents that one origin is asked for at a time */
  readonly documents: number;
}

/** The largest document of the public registry has some 3 MB. Composer itself waits 300 s for an archive. */
export const standardLimits: ClientLimits = {
  documentBytes: 32 * 1024 ** 2,
  documentMs: 30_000,
  archiveMs: 280_000,
  silenceMs: 20_000,
  connectMs: 10_000,
  documents: 16,
};

/** Who is asked for: credentials belong to one origin. */
export interface Destination {
  readonly origin: string;
  readonly credential: GivenCredential | undefined;
}

/** What was answered before, for a conditional request. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export type DocumentAnswer =
  | ({ readonly outcome: 'fetched'; readonly bytes: Buffer } & Validators)
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'missing' };

export interface ArchiveStream {
  /** a broken connection ends it with an error */
  readonly body: Readable;
  /** undefined where the upstream does not say */
  readonly size: number | undefined;
}

/**
 * Documents do not wait behind archives, nor does what becomes of the ones say anything of the others: each kind has
 * connections and pauses of its own.
 */
interface Lane {
  readonly door: Door;
  readonly pauses: HostBackoff;
}

interface Question<Answer> {
  readonly lane: Lane;
  readonly asked: URL;
  readonly destination: Destination;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly form?: string | undefined;
  /** gives undefined for an answer that is none */
  readonly use: (answer: GuardedAnswer) => Promise<Answer | undefined> | Answer | undefined;
}

export class UpstreamClient {
  readonly #options: ClientOptions;
  readonly #limits: ClientLimits;
  readonly #documents: Lane;
  readonly #archives: Lane;
  readonly #places: KeyedSemaphore;

  /** Throws where `allowAddresses` holds what is no address. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
    const policy = createAddressPolicy(options.allowAddresses ?? []);
    const { connectMs, silenceMs, documents } = this.#limits;
    const lane = (): Lane => ({
      door: {
        policy,
        agent: createGuardedAgent(policy, options.resolve ?? resolveBySystem, {
          connectTimeoutMs: connectMs,
          silenceMs,
        }),
      },
      pauses: new HostBackoff(),
    });
    this.#documents = lane();
    this.#archives = lane();
    this.#places = new KeyedSemaphore(documents);
  }

  /**
   * Rejects with UpstreamUnavailable. `validators` of what the caller has: only then may the answer be `unchanged`.
   * `form`: sent by POST.
   */
  async document(url: URL, destination: Destination, validators?: Validators, form?: string): Promise<DocumentAnswer> {
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
      this.#ask({ lane: this.#documents, asked: url, destination, headers, timeoutMs: documentMs, form, use });
    return this.#places.use(url.origin, ask, documentMs, () => {
      throw new UpstreamUnavailable(
        `${url.origin} is being asked for too much at the same time.`,
        this.#options.now() + 1000,
      );
    });
  }

  /**
   * Rejects with UpstreamUnavailable and UpstreamWithholds. The body has to be read or destroyed. How many are fetched
   * at a time is the caller's affair.
   */
  archive(url: URL, destination: Destination, maxBytes: number): Promise<ArchiveStream> {
    const headers = { accept: 'application/zip, */*;q=0.1', 'accept-encoding': 'identity' };
    const use = ({ response }: GuardedAnswer): ArchiveStream | undefined => {
      if (response.status !== 200) return undefined;
      const encoding = response.headers['content-encoding'];
      const size = sizeOf(response.headers['content-length']);
      const refusal =
        encoding !== undefined && encoding !== 'identity'
          ? `it comes in an encoding (${encoding.slice(0, 40)}) that was not asked for`
          : size !== undefined && size > maxBytes
            ? `it has ${size} bytes, and at most ${maxBytes} are fetched`
            : undefined;
      if (refusal === undefined) return { body: response.body, size };
      discard(response);
      throw new UnusableBody(refusal);
    };
    return this.#ask({
      lane: this.#archives,
      asked: url,
      destination,
      headers,
      timeoutMs: this.#limits.archiveMs,
      use,
    });
  }

  close(): Promise<void> {
    for (const { door } of [this.#documents, this.#archives]) door.agent.destroy();
    return Promise.resolve();
  }

  /** Asks once more for what may just have been a slip: a proxy that was restarted, a connection that was let go of. */
  async #ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const { destination, form } = question;
    if (destination.credential?.kind === 'unusable')
      throw new UpstreamUnavailable(
        `${destination.origin} is not used: ${destination.credential.because}.`,
        this.#options.now() + unansweredMs,
      );
    let outcome = await this.#once(question);
    if ('failed' in outcome && outcome.failed.again && form === undefined) {
      await sleep(againMs * (1 + (this.#options.random ?? Math.random)()));
      outcome = await this.#once(question);
    }
    if ('failed' in outcome) throw this.#failure(outcome.failed, question);
    return outcome.answer;
  }

  async #once<Answer>({
    lane,
    asked,
    destination,
    headers,
    timeoutMs,
    form,
    use,
  }: Question<Answer>): Promise<{ readonly answer: Answer } | { readonly failed: ClassifiedFailure }> {
    let at = asked;
    try {
      const headersOf = (url: URL, home: boolean): Readonly<Record<string, string>> => {
        at = url;
        this.#refuseWhilePaused(lane, url);
        return { 'user-agent': this.#options.userAgent, ...headers, ...credentialsFor(url, home, destination) };
      };
      const answer = await getGuarded(checkedUrl(asked.href, lane.door.policy), lane.door, {
        signal: AbortSignal.timeout(timeoutMs),
        form,
        headers: headersOf,
      });
      const used = await use(answer);
      if (used === undefined) return thenDiscard(answer.response, { failed: failedAnswer(answer) });
      lane.pauses.succeeded(asked.origin);
      lane.pauses.succeeded(at.origin);
      return { answer: used };
    } catch (error) {
      if (error instanceof UpstreamUnavailable) throw error;
      return { failed: failedRequest(error, at, destination.origin, timeoutMs) };
    }
  }

  /** Also of whom a redirect leads to. */
  #refuseWhilePaused({ pauses }: Lane, { origin }: URL): void {
    const pausedUntil = pauses.until(origin, this.#options.now());
    if (pausedUntil !== undefined)
      throw new UpstreamUnavailable(
        `${origin} is not used until ${new Date(pausedUntil).toISOString()}, because it failed or asked ` +
          'clients to wait.',
        pausedUntil,
      );
  }

  #failure<Answer>(
    { message, cause, at, whose, retryAfter }: ClassifiedFailure,
    { lane, asked }: Question<Answer>,
  ): Error {
    const nowMs = this.#options.now();
    if (whose === 'withheld' && lane === this.#archives) return new UpstreamWithholds(message);
    if (whose === 'host')
      return new UpstreamUnavailable(message, lane.pauses.failed(at.origin, nowMs, retryAfter), { cause });
    return new UpstreamUnavailable(
      message,
      whose === 'one' ? lane.pauses.failedFor(at.origin, asked.href, nowMs) : nowMs + unansweredMs,
      { cause },
    );
  }
}

/** To this a random part of the same length is added. */
const againMs = 150;
const unansweredMs = 15_000;

function credentialsFor(
  url: URL,
  home: boolean,
  { origin, credential }: Destination,
): Readonly<Record<string, string>> {
  return credential !== undefined &&
    credential.kind !== 'unusable' &&
    home &&
    url.origin === origin &&
    maySendCredential(url)
    ? credentialHeader(credential)
    : {};
}

function thenDiscard<Answer>(response: GuardedAnswer['response'], answer: Answer): Answer {
  discard(response);
  return answer;
}

function sizeOf(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}
