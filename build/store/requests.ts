// One request to the store: signed, sent through the guard of egress, and repeated after faults that pass. The store's
// host is allowed by being named, whatever its address; a redirect is never followed. Expired credentials and a wrong
// clock are mended once, and the request is signed again.

import type { Readable } from 'node:stream';
import pLimit from 'p-limit';
import { createGuardedAgent, resolveBySystem, type GuardedAgent, type Resolve } from '../egress/guarded-agent.ts';
import { exchangeHttp, type IncomingResponse } from '../egress/http-exchange.ts';
import { timedSignal } from '../shared/concurrency/timed-signal.ts';
import { urlIn, type Query, type StoreAddress } from './address.ts';
import { readAll, refusalOf, type StoreAnswer } from './answers.ts';
import type { Credentials } from './credentials.ts';
import type { ObjectKey } from './object-store.ts';
import { emptyBody, type RequestBody } from './request-body.ts';
import { presignedUrl, signedHeaders, type Signing, type StoreKeys } from './signing.ts';
import { explainLoss, explainRefusal, isPassing, PassingFailure, StoreFailure } from './store-failure.ts';

export interface StoreRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** undefined: the bucket */
  readonly key?: ObjectKey;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** statuses beside 2xx that the caller decides on */
  readonly expects?: readonly number[];
  /** the largest answer in memory */
  readonly maxBytes?: number;
  /** Reads the body of a 200 in place of memory, in each attempt. The time limit ends with `read`. */
  readonly receive?: { readonly bytes: number; readonly read: (body: Readable) => Promise<void> };
}

export interface SettledAnswer extends StoreAnswer {
  /** An earlier attempt may have had its effect, although its answer was lost or a failure. */
  readonly repeated: boolean;
  /** of a refusal that the request expects */
  readonly code: string | undefined;
}

export interface RequestOptions {
  readonly address: StoreAddress;
  readonly credentials: Credentials;
  /** epoch milliseconds */
  readonly now: () => number;
  /** a number from 0 up to 1 */
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly resolve?: Resolve | undefined;
  /** requests at once; default 16 */
  readonly connections?: number | undefined;
  /** for one attempt without its transfer; for a pause between two bytes */
  readonly limits?: RequestLimits | undefined;
}

export interface RequestLimits {
  readonly attemptMs: number;
  readonly silenceMs: number;
  /** of a request that failed; default 5 */
  readonly repetitions?: number;
  /** open connections, those with unread bodies among them; default: any number */
  readonly sockets?: number;
}

const standardLimits: RequestLimits = { attemptMs: 120_000, silenceMs: 60_000 };
const mostRepetitions = 5;
/** No repetition starts later; the time of a transfer is added to it, as to that of an attempt. */
const patienceMs = 120_000;
const leastBytesPerMs = 64;
const errorBytes = 256 * 1024;

export class StoreRequests {
  readonly #options: RequestOptions;
  readonly #agent: GuardedAgent;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #attemptMs: number;
  readonly #repetitions: number;
  readonly #derived = new Map<string, ArrayBuffer>();
  /** the store's clock minus ours */
  #offsetMs = 0;
  #isClosed = false;

  constructor(options: RequestOptions) {
    const { attemptMs, silenceMs, repetitions, sockets } = options.limits ?? standardLimits;
    this.#options = options;
    this.#attemptMs = attemptMs;
    this.#repetitions = repetitions ?? mostRepetitions;
    const limits = { idleTimeoutMs: silenceMs, sockets };
    this.#agent = createGuardedAgent(() => true, options.resolve ?? resolveBySystem, limits);
    this.#limit = pLimit(options.connections ?? 16);
  }

  /** Rejects with StoreFailure, or with what `receive` throws. */
  async send(request: StoreRequest): Promise<SettledAnswer> {
    const { now, random, sleep } = this.#options;
    const lastMs = now() + patienceMs + transferMs(request);
    const mended = new Set<string>();
    for (let failures = 0; ;) {
      const found = await this.#limit(() => this.#attempt(request));
      if (!('failure' in found)) return { ...found, repeated: failures > 0 };
      if (await this.#mend(found, mended)) continue;
      failures += 1;
      const isOver = failures > this.#repetitions || now() > lastMs;
      if (isOver || !(found.failure instanceof PassingFailure)) throw found.failure;
      await sleep(Math.min(10_000, 100 * 2 ** failures) * (0.5 + random() / 2));
    }
  }

  /** A URL that is the right to GET, at most until the credentials expire. */
  async presign(key: ObjectKey, seconds: number): Promise<string> {
    const keys = await this.#options.credentials.current();
    const leftMs = (keys.expiresMs ?? Infinity) - this.#options.now();
    const whole = Math.max(1, Math.floor(Math.min(seconds, leftMs / 1000)));
    return await presignedUrl(urlIn(this.#options.address, key), whole, this.#signing(keys));
  }

  /** for messages: `GET s3://bucket/key`, `LIST s3://bucket` */
  describe({ method, key }: Pick<StoreRequest, 'method' | 'key'>): string {
    const { name } = this.#options.address;
    return key === undefined ? `LIST ${name}` : `${method} ${name}/${key}`;
  }

  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  #signing(keys: StoreKeys): Signing {
    const { address, now } = this.#options;
    return { keys, region: address.region, atMs: now() + this.#offsetMs, derived: this.#derived };
  }

  async #attempt(request: StoreRequest): Promise<Omit<SettledAnswer, 'repeated'> | Refused> {
    try {
      if (this.#isClosed) throw new StoreFailure('unreachable', `${this.describe(request)}: the store was closed.`);
      const keys = await this.#options.credentials.current();
      const answer = await this.#exchange(request, keys);
      let refusal = refusalOf(request.method, answer);
      if (refusal === undefined) return { ...answer, code: undefined };
      const { status, code } = refusal;
      if (request.expects?.includes(status) === true && code !== 'NoSuchBucket') return { ...answer, status, code };
      // an answer to HEAD has no body, so that only a GET can say why
      if (request.method === 'HEAD' && (status === 400 || status === 403))
        refusal = refusalOf('GET', await this.#exchange({ ...request, ...firstByte }, keys)) ?? refusal;
      const failure = explainRefusal(this.describe(request), refusal);
      return { failure, code: refusal.code, keys, date: answer.headers['date'] };
    } catch (error) {
      if (error instanceof StoreFailure) return { failure: error };
      throw error;
    }
  }

  async #exchange(request: StoreRequest, keys: StoreKeys): Promise<StoreAnswer> {
    const { method, key, query, headers = {}, body } = request;
    const what = this.describe(request);
    const url = urlIn(this.#options.address, key, query);
    const timed = timedSignal(this.#attemptMs + transferMs(request));
    try {
      const sha256 = (body ?? emptyBody).sha256;
      const signed = await signedHeaders(url, { method, headers, sha256 }, this.#signing(keys));
      const length = body === undefined ? {} : { 'content-length': String(body.size) };
      const sent = { ...signed, ...length, 'user-agent': 'libretto', 'accept-encoding': 'identity' };
      const options = { method, headers: sent, body: body?.open(), signal: timed.signal };
      const response = await exchangeHttp(url, this.#agent, options).catch((error: unknown) => {
        throw explainLoss(what, error);
      });
      return await received(response, request, what).catch((error: unknown) => {
        response.body.destroy();
        throw isPassing(error) ? explainLoss(what, error) : error;
      });
    } finally {
      timed.clear();
    }
  }

  /** True if the request may be sent once more, with another time or other credentials. */
  async #mend({ failure, code = '', keys, date }: Refused, mended: Set<string>): Promise<boolean> {
    if (keys === undefined || failure.kind !== 'refused-credentials' || mended.has(code)) return false;
    mended.add(code);
    if (code !== 'RequestTimeTooSkewed') return this.#options.credentials.renew(keys);
    const atMs = Date.parse(date ?? '');
    if (!Number.isNaN(atMs)) this.#offsetMs = atMs - this.#options.now();
    return !Number.isNaN(atMs);
  }
}

/** Only a failure: no answer came. */
interface Refused {
  readonly failure: StoreFailure;
  readonly code?: string | undefined;
  readonly keys?: StoreKeys;
  readonly date?: string | undefined;
}

async function received(response: IncomingResponse, request: StoreRequest, what: string): Promise<StoreAnswer> {
  const { status, headers, body } = response;
  const { receive, maxBytes = errorBytes } = request;
  if (receive === undefined || status !== 200)
    return { status, headers, body: await readAll(body, status < 300 ? maxBytes : errorBytes, what) };
  await receive.read(body);
  return { status, headers, body: Buffer.alloc(0) };
}

const firstByte = { method: 'GET', headers: { range: 'bytes=0-0' } } as const;

function transferMs({ body, receive }: StoreRequest): number {
  return ((body?.size ?? 0) + (receive?.bytes ?? 0)) / leastBytesPerMs;
}
