// Sends single requests to the API of a forge, through the guard of all egress, within limits of size and time. A rate
// limit and a failing forge become ForgePause, so that callers see only answers that mean something.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../build/contract/json.ts';
import { createAddressPolicy } from '../../../build/egress/address-policy.ts';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import { shownUrl } from '../../../build/egress/egress-failure.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../../build/egress/guarded-agent.ts';
import { explainFailure, getGuarded, type GuardedAccess } from '../../../build/egress/guarded-request.ts';
import { readDecoded, UnusableBody } from '../../mirror/upstream/decoded-body.ts';
import { ForgePause, ForgeRefusal } from './forge-failure.ts';
import { retryAfterMs } from '../../mirror/upstream/host-backoff.ts';

export interface ForgeHttpOptions {
  /** CIDR ranges of allowed private addresses */
  readonly allowAddresses: readonly string[];
  readonly resolve?: Resolve;
  /** `Libretto/1.2.3`: GitHub refuses requests without one */
  readonly userAgent: string;
  /** epoch milliseconds */
  readonly now: () => number;
}

export interface ForgeChange {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** undefined: an empty body */
  readonly json?: JsonObject;
}

export interface ForgeRequest {
  readonly url: string;
  /** credentials too: they are not sent on after a redirect to another origin */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: a GET */
  readonly content?: ForgeChange | undefined;
}

export interface ForgeAnswer {
  /** below 500, and no rate limit */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Asks for a path of the API with the credentials of a connection. */
export type AskForge = (
  path: string,
  more?: { readonly headers?: ForgeRequest['headers']; readonly content?: ForgeRequest['content'] },
) => Promise<ForgeAnswer>;

export type ForgeHttp = ReturnType<typeof createForgeHttp>;

/** A page of 100 repositories has some 600 KB on GitHub. */
const longestAnswer = 16 * 1024 ** 2;
const timeoutMs = 20_000;
/** The second attempt of a question waits this long. */
const retryMs = 300;
/** The pause after two failures. */
const failurePauseMs = 60_000;

/** Throws BuildRefused for an invalid range. */
export function createForgeHttp({ allowAddresses, resolve = resolveBySystem, userAgent, now }: ForgeHttpOptions) {
  const policy = createAddressPolicy(allowAddresses);
  const access: GuardedAccess = { policy, agent: createGuardedAgent(policy, resolve, { connectTimeoutMs: 10_000 }) };
  const once = async (request: ForgeRequest): Promise<ForgeAnswer | ForgePause> => {
    try {
      const answer = await send(request, access, userAgent);
      const pause = pausedUntil(answer, now());
      if (pause !== undefined) throw limited(request.url, pause);
      if (answer.status < 500) return answer;
      return failed(`${shownUrl(new URL(request.url))} answered with status ${answer.status}.`, now());
    } catch (error) {
      if (error instanceof ForgePause) throw error;
      const reason = explainFailure(error, request.url, timeoutMs);
      if (reason.kind === 'denied') throw new ForgeRefusal(reason.message, { isDenied: true, cause: error });
      if (error instanceof UnusableBody)
        throw new ForgeRefusal(`The answer of ${shownUrl(new URL(request.url))} is unusable: ${error.message}.`);
      return failed(reason.message, now(), error);
    }
  };
  return {
    /** Throws ForgePause and ForgeRefusal. */
    ask: async (request: ForgeRequest): Promise<ForgeAnswer> => {
      let answer = await once(request);
      // a change at the forge is not sent twice
      if (answer instanceof ForgePause && request.content === undefined) {
        await sleep(retryMs);
        answer = await once(request);
      }
      if (answer instanceof ForgePause) throw answer;
      return answer;
    },
    close: () => access.agent.destroy(),
  };
}

async function send(
  { url, headers, content }: ForgeRequest,
  access: GuardedAccess,
  userAgent: string,
): Promise<ForgeAnswer> {
  const home = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', ...headers };
  const away = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br', accept: headers['accept'] ?? '*/*' };
  const { response } = await getGuarded(checkedUrl(url, access.policy), access, {
    signal: AbortSignal.timeout(timeoutMs),
    headers: (_url, isHome) => (isHome ? home : away),
    content: content && {
      method: content.method,
      type: 'application/json',
      text: content.json === undefined ? '' : JSON.stringify(content.json),
    },
  });
  const body = await readDecoded(response.body, response.headers['content-encoding'], longestAnswer);
  return { status: response.status, headers: response.headers, text: body.toString('utf8') };
}

function limited(url: string, { untilMs, isNamed }: RequestedPause): ForgePause {
  const message =
    `${new URL(url).host} has a rate limit, and asked to wait until ${new Date(untilMs).toISOString()}. Try again then, ` +
    'or use another token.';
  return new ForgePause(message, untilMs, { isLimit: true, isNamed });
}

function failed(message: string, nowMs: number, cause?: unknown): ForgePause {
  return new ForgePause(message, nowMs + failurePauseMs, { isLimit: false, cause });
}

// Reads from an answer until when the forge wants no more requests. GitHub: 403 or 429, with Retry-After, or with an
// empty X-RateLimit-Remaining and its reset, or with words in the body only (a secondary limit). The others: 429. Pure.
// Each answer of GitHub has a reset of the hour's limit, which says nothing about a secondary one.

type Headers = Readonly<Record<string, string | undefined>>;

/** GitHub's advice where an answer names no time; also the least pause after a reset that is over already. */
const standardPauseMs = 60_000;
/** A wrong clock or header must not stop a connection for days. */
const longestPauseMs = 2 * 3_600_000;

export interface RequestedPause {
  /** epoch milliseconds */
  readonly untilMs: number;
  /** false: the answer named no time; where the limit lasts, the next pause should be longer */
  readonly isNamed: boolean;
}

/** undefined: the answer is no rate limit. */
export function pausedUntil(
  { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
  nowMs: number,
): RequestedPause | undefined {
  const isEmpty = headers['x-ratelimit-remaining'] === '0';
  const asksToWait = headers['retry-after'] !== undefined;
  const saysSo = /\b(?:secondary )?rate limit\b/i.test(text.slice(0, 2000));
  if (status !== 429 && !(status === 403 && (isEmpty || asksToWait || saysSo))) return undefined;
  const asked = retryAfterMs(headers['retry-after'], nowMs);
  if (asked !== undefined) return { untilMs: nowMs + asked, isNamed: true };
  const reset = resetMs((isEmpty ? headers['x-ratelimit-reset'] : undefined) ?? headers['ratelimit-reset']);
  if (reset === undefined || reset <= nowMs) return { untilMs: nowMs + standardPauseMs, isNamed: false };
  return { untilMs: Math.min(reset, nowMs + longestPauseMs), isNamed: true };
}

/** Seconds since 1970. */
function resetMs(header: string | undefined): number | undefined {
  return header !== undefined && /^[0-9]{1,12}$/.test(header) ? Number(header) * 1000 : undefined;
}
