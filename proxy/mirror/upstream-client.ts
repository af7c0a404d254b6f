// Requests to upstreams: through the guard that all egress passes (cases 68 and 69), within limits of size and time, with pauses for who asks for them
// (case 75). What it cannot get is UpstreamUnavailable, with the time from which on asking again makes sense.

import type { Readable } from 'node:stream';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { checkedUrl } from '../../build/egress/checked-url.ts';
import { EgressFailure, shownUrl } from '../../build/egress/egress-failure.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import { discard, explainFailure, getGuarded, type Door, type GuardedAnswer } from '../../build/egress/guarded-request.ts';
import { UnusableBody, readDecoded } from './decoded-body.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import { Pauses } from './pauses.ts';
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
}

export interface ClientLimits {
  /** of a document, unpacked */
  readonly documentBytes: number;
  readonly documentMs: number;
  readonly archiveMs: number;
  /** for how long nothing may arrive */
  readonly silenceMs: number;
  readonly connectMs: number;
  /** to one origin at a time */
  readonly connections: number;
}

/** The largest document of the public registry has some 3 MB. Composer itself waits 300 s for an archive. */
export const standardLimits: ClientLimits = { documentBytes: 32 * 1024 ** 2, documentMs: 30_000, archiveMs: 280_000, silenceMs: 20_000, connectMs: 10_000, connections: 16 };

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

export type DocumentAnswer = ({ readonly outcome: 'fetched'; readonly bytes: Buffer } & Validators) | { readonly outcome: 'unchanged' } | { readonly outcome: 'missing' };

export interface ArchiveStream {
  /** a broken connection ends it with an error */
  readonly body: Readable;
  /** undefined where the upstream does not say */
  readonly size: number | undefined;
}

/** What remains of a failed answer, if it is one that asks for patience. */
const pausing: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export class UpstreamClient {
  readonly #door: Door;
  readonly #options: ClientOptions;
  readonly #limits: ClientLimits;
  readonly #pauses = new Pauses();

  /** Throws where `allowAddresses` holds what is no address. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#limits = { ...standardLimits, ...options.limits };
    const policy = createAddressPolicy(options.allowAddresses ?? []);
    const { connections, connectMs, silenceMs } = this.#limits;
    this.#door = { policy, agent: createGuardedAgent(policy, options.resolve ?? resolveBySystem, { connections, connectTimeoutMs: connectMs, silenceMs }) };
  }

  /** Rejects with UpstreamUnavailable. `validators` of what the caller has: only then may the answer be `unchanged`. `form`: sent by POST. */
  async document(url: URL, destination: Destination, validators?: Validators, form?: string): Promise<DocumentAnswer> {
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      ...(validators?.lastModified === undefined ? {} : { 'if-modified-since': validators.lastModified }),
      ...(validators?.etag === undefined ? {} : { 'if-none-match': validators.etag }),
    };
    return this.#ask(url, destination, headers, this.#limits.documentMs, async ({ response }) => {
      const { statusCode: status, headers: answered } = response;
      if (status === 404 || status === 410) return thenDiscard(response, { outcome: 'missing' });
      if (status === 304 && validators !== undefined) return thenDiscard(response, { outcome: 'unchanged' });
      if (status !== 200) return undefined;
      const bytes = await readDecoded(response.body, text(answered['content-encoding']), this.#limits.documentBytes);
      return { outcome: 'fetched', bytes, etag: text(answered['etag']), lastModified: text(answered['last-modified']) };
    }, form);
  }

  /** Rejects with UpstreamUnavailable. The body has to be read or destroyed. */
  archive(url: URL, destination: Destination, maxBytes: number): Promise<ArchiveStream> {
    const headers = { accept: 'application/zip, */*;q=0.1', 'accept-encoding': 'identity' };
    return this.#ask(url, destination, headers, this.#limits.archiveMs, ({ response }) => {
      if (response.statusCode !== 200) return undefined;
      const encoding = text(response.headers['content-encoding']);
      const size = sizeOf(text(response.headers['content-length']));
      const refusal = encoding !== undefined && encoding !== 'identity' ? `it comes in an encoding (${encoding.slice(0, 40)}) that was not asked for` : size !== undefined && size > maxBytes ? `it has ${size} bytes, and at most ${maxBytes} are fetched` : undefined;
      if (refusal === undefined) return { body: response.body, size };
      discard(response);
      throw new UnusableBody(refusal);
    });
  }

  close(): Promise<void> {
    return this.#door.agent.destroy();
  }

  /** `use` gives undefined for an answer that is none. */
  async #ask<Answer>(asked: URL, destination: Destination, headers: Readonly<Record<string, string>>, timeoutMs: number, use: (answer: GuardedAnswer) => Promise<Answer | undefined> | Answer | undefined, form?: string): Promise<Answer> {
    const { now } = this.#options;
    if (destination.credential?.kind === 'unusable') throw new UpstreamUnavailable(`${destination.origin} is not asked: ${destination.credential.because}.`, now() + unansweredMs);
    const pausedUntil = this.#pauses.until(asked.origin, now());
    if (pausedUntil !== undefined) throw new UpstreamUnavailable(`${asked.origin} is not asked until ${new Date(pausedUntil).toISOString()}, since it failed or asked for patience.`, pausedUntil);
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await getGuarded(checkedUrl(asked.href, this.#door.policy), this.#door, { signal, form, headers: (url, home) => ({ 'user-agent': this.#options.userAgent, ...headers, ...credentialsFor(url, home, destination) }) });
      const used = await use(answer);
      if (used === undefined) throw this.#refused(asked, answer);
      this.#pauses.succeeded(asked.origin);
      return used;
    } catch (error) {
      throw this.#failure(error, asked, timeoutMs);
    }
  }

  #refused(asked: URL, { url, response }: GuardedAnswer): UpstreamUnavailable {
    discard(response);
    const { statusCode: status } = response;
    const retryAtMs = pausing.has(status) ? this.#pauses.failed(asked.origin, this.#options.now(), text(response.headers['retry-after'])) : this.#options.now() + unansweredMs;
    const login = status === 401 || status === 403 ? ' It did not accept the credentials it was asked with, or wants some.' : '';
    return new UpstreamUnavailable(`${shownUrl(url)} answered with status ${status}.${login}`, retryAtMs);
  }

  /** What is wrong with one answer pauses nothing but itself; a connection that fails pauses the origin. */
  #failure(error: unknown, asked: URL, timeoutMs: number): UpstreamUnavailable {
    if (error instanceof UpstreamUnavailable) return error;
    const failure = explainFailure(error, asked.href, timeoutMs);
    const nowMs = this.#options.now();
    const wrongAnswer = error instanceof UnusableBody || error instanceof EgressFailure;
    return new UpstreamUnavailable(failure.message, wrongAnswer ? nowMs + unansweredMs : this.#pauses.failed(asked.origin, nowMs), { cause: error });
  }
}

const unansweredMs = 15_000;

function credentialsFor(url: URL, home: boolean, { origin, credential }: Destination): Readonly<Record<string, string>> {
  return credential !== undefined && credential.kind !== 'unusable' && home && url.origin === origin && maySendCredential(url) ? credentialHeader(credential) : {};
}

function thenDiscard<Answer>(response: GuardedAnswer['response'], answer: Answer): Answer {
  discard(response);
  return answer;
}

/** A header that stands several times has no one meaning: it is not looked at. */
function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function sizeOf(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
}
