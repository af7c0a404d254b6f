// One lane of requests to upstreams, with separate connections and a separate backoff. Documents and archives have one
// lane each. So documents never wait behind archives, and a failure in one lane does not affect the other. Only the
// silence of a host is that of both.

import { setTimeout as sleep } from 'node:timers/promises';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import {
  discard,
  getGuarded,
  type GuardedAccess,
  type GuardedAnswer,
  explainFailure,
} from '../../../build/egress/guarded-request.ts';
import { HostBackoff } from './host-backoff.ts';
import { UpstreamUnavailable, UpstreamWithholds } from './mirror-failure.ts';
import { credentialsFor, type Destination } from './upstream-credential.ts';
import { CredentialsInUrl, EgressFailure, shownUrl } from '../../../build/egress/egress-failure.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import { patienceMs } from './silence.ts';
import { UnusableBody } from './decoded-body.ts';

export interface LaneRequest<Answer> {
  readonly url: URL;
  readonly destination: Destination;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** sent by POST */
  readonly form?: string | undefined;
  readonly left?: AbortSignal;
  /** Returns undefined for an answer that is a failure. */
  readonly use: (answer: GuardedAnswer) => Promise<Answer | undefined> | Answer | undefined;
}

export interface LaneOptions {
  readonly access: GuardedAccess;
  /** True: a 4xx is UpstreamWithholds, because the upstream lists the file and does not deliver it. */
  readonly withholds: boolean;
  readonly silent: SilentOrigins;
  readonly userAgent: string;
  /** epoch milliseconds */
  readonly now: () => number;
  /** a number from 0 up to 1 */
  readonly random: () => number;
}

/** Origins of which a request ended without a word. True: one request goes on, and finds out when that is over. */
export type SilentOrigins = Map<string, boolean>;

const formType = 'application/x-www-form-urlencoded';

/** The second attempt waits this long, and a random part of the same length more. */
const retryDelayMs = 150;
const unansweredMs = 15_000;

export class UpstreamLane {
  readonly #options: LaneOptions;
  readonly #backoff = new HostBackoff();
  readonly #silent: SilentOrigins;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#silent = options.silent;
  }

  /**
   * Retries once after a failure that may be accidental: a restarted proxy, a connection that closed. Rejects with
   * UpstreamUnavailable and UpstreamWithholds.
   */
  ask<Answer>(request: LaneRequest<Answer>): Promise<Answer> {
    const { origin } = request.url;
    if (!this.#silent.has(origin)) return this.#ask(request);
    const left = new AbortController();
    let isLeft = false;
    const use: typeof request.use = (answer) => (isLeft ? undefined : request.use(answer));
    const asking = this.#ask({ ...request, use, left: left.signal });
    return withDeadline(asking, patienceMs, () => {
      const isProbed = this.#silent.get(origin);
      if (isProbed === undefined) return asking;
      isLeft = true;
      if (isProbed) left.abort();
      else this.#silent.set(origin, true);
      const message = `${origin} has answered no request since the last one failed.`;
      return Promise.reject(new UpstreamUnavailable(message, this.#options.now() + patienceMs));
    });
  }

  async #ask<Answer>(request: LaneRequest<Answer>): Promise<Answer> {
    const { destination, form } = request;
    if (destination.credential?.kind === 'unusable')
      throw new UpstreamUnavailable(
        `${destination.origin} is not used: ${destination.credential.because}.`,
        this.#options.now() + unansweredMs,
        { lasting: true },
      );
    let outcome = await this.#once(request);
    if ('failed' in outcome && outcome.failed.again && form === undefined) {
      await sleep(retryDelayMs * (1 + this.#options.random()));
      outcome = await this.#once(request);
    }
    if ('failed' in outcome) throw this.#failure(outcome.failed, request.url);
    return outcome.answer;
  }

  close(): void {
    this.#options.access.agent.destroy();
  }

  async #once<Answer>({
    url: asked,
    destination,
    headers,
    timeoutMs,
    form,
    use,
    left,
  }: LaneRequest<Answer>): Promise<{ readonly answer: Answer } | { readonly failed: ClassifiedFailure }> {
    const { access, userAgent } = this.#options;
    let at = asked;
    let isHeard = false;
    try {
      const headersOf = (url: URL, home: boolean): Readonly<Record<string, string>> => {
        at = url;
        this.#assertNotPaused(url);
        return { 'user-agent': userAgent, ...headers, ...credentialsFor(url, home, destination) };
      };
      const answer = await getGuarded(checkedUrl(asked.href, access.policy), access, {
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), left].filter((signal) => signal !== undefined)),
        content: form === undefined ? undefined : { method: 'POST', type: formType, text: form },
        headers: headersOf,
      });
      isHeard = true;
      this.#silent.delete(asked.origin);
      const used = await use(answer);
      if (used === undefined) {
        discard(answer.response);
        return { failed: failedAnswer(answer) };
      }
      this.#backoff.succeeded(asked.origin);
      this.#backoff.succeeded(at.origin);
      return { answer: used };
    } catch (error) {
      if (!isHeard && left?.aborted !== true && (isSlow(error) || this.#silent.has(asked.origin)))
        this.#silent.set(asked.origin, false);
      if (error instanceof UpstreamUnavailable) throw error;
      return { failed: failedRequest(error, at, destination.origin, timeoutMs) };
    }
  }

  /** Checks the target of each redirect too. */
  #assertNotPaused({ origin }: URL): void {
    const pausedUntil = this.#backoff.until(origin, this.#options.now());
    if (pausedUntil !== undefined)
      throw new UpstreamUnavailable(
        `${origin} is not used until ${new Date(pausedUntil).toISOString()}, because it failed or asked ` +
          'clients to wait.',
        pausedUntil,
      );
  }

  #failure({ message, cause, at, whose, retryAfter }: ClassifiedFailure, asked: URL): Error {
    const nowMs = this.#options.now();
    if (whose === 'withheld' && this.#options.withholds) return new UpstreamWithholds(message);
    if (whose === 'host')
      return new UpstreamUnavailable(message, this.#backoff.failed(at.origin, nowMs, retryAfter), { cause });
    return new UpstreamUnavailable(
      message,
      whose === 'one' ? this.#backoff.failedFor(at.origin, asked.href, nowMs) : nowMs + unansweredMs,
      { cause, lasting: whose !== 'one' },
    );
  }
}

// Classifies the failure of a request to an upstream: finds the cause, and decides if a retry makes sense. Pure.

interface ClassifiedFailure {
  readonly message: string;
  readonly cause?: unknown;
  /** the failing address, after redirects */
  readonly at: URL;
  /**
   * `host`: it is unreachable, or requests a pause. `one`: this resource failed, and may work another time. `wrong`:
   * the content differs from the request. `withheld`: the resource is missing, or forbidden for this registry.
   */
  readonly whose: 'host' | 'one' | 'wrong' | 'withheld';
  readonly retryAfter?: string | undefined;
  /** a moment later it may well work */
  readonly again: boolean;
}

const worthAgain: ReadonlySet<number> = new Set([500, 502, 503, 504]);
/** The 4xx statuses that do not concern the requested resource. */
const passing: ReadonlySet<number> = new Set([408, 421, 423, 425]);

/** An answer that is none. */
function failedAnswer({ url, response: { status, headers } }: GuardedAnswer): ClassifiedFailure {
  const retryAfter = headers['retry-after'];
  const login = status === 401 || status === 403 ? ' It did not accept the credentials, or requires some.' : '';
  const failed = { at: url, message: `${shownUrl(url)} answered with status ${status}.${login}`, again: false };
  // GitHub returns 403 when its rate limit is used up
  if (status === 429 || (status === 403 && (retryAfter !== undefined || headers['x-ratelimit-remaining'] === '0')))
    return { ...failed, whose: 'host', retryAfter };
  if (worthAgain.has(status))
    return retryAfter === undefined
      ? { ...failed, whose: 'one', again: true }
      : { ...failed, whose: 'host', retryAfter };
  return { ...failed, whose: status >= 400 && status < 500 && !passing.has(status) ? 'withheld' : 'wrong' };
}

/** `at`: the last requested URL. `upstream`: the origin that named it. */
function failedRequest(error: unknown, at: URL, upstream: string, timeoutMs: number): ClassifiedFailure {
  const found = explainFailure(error, at.href, timeoutMs);
  const failed = { at, message: found.message, cause: error, again: false };
  if (found instanceof CredentialsInUrl)
    return {
      ...failed,
      whose: 'wrong',
      message:
        `${upstream} names ${shownUrl(found.url)} with credentials, which this registry does not send. Ask its ` +
        `operator to remove them. Credentials for ${upstream} belong in the configuration of this registry.`,
    };
  if (error instanceof UnusableBody || error instanceof EgressFailure || found.kind === 'denied')
    return { ...failed, whose: 'wrong' };
  return { ...failed, whose: isOfConnecting(error) ? 'host' : 'one', again: !isSlow(error) };
}

function isSlow(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || /TIMEOUT/.test(codeOf(error)));
}

/** True if no request was sent: no address, no server, or a wrong certificate. */
function isOfConnecting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const syscall = 'syscall' in error ? error.syscall : undefined;
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    /CONNECT_TIMEOUT|CONNREFUSED|UNREACH|ENOTFOUND|EAI_AGAIN|CERT|SELF_SIGNED|ERR_TLS|ERR_SSL/.test(codeOf(error))
  );
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
