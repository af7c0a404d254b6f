// Reads from an answer until when the forge wants no more requests. GitHub: 403 or 429, with Retry-After, or with an empty
// X-RateLimit-Remaining and its reset, or with words in the body only (a secondary limit). The others: 429. Pure.
// Each answer of GitHub has a reset of the hour's limit, which says nothing about a secondary one.

import { retryAfterMs } from '../../mirror/upstream/host-backoff.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** GitHub's advice where an answer names no time; also the least pause after a reset that is over already. */
const standardPauseMs = 60_000;
/** A wrong clock or header must not stop a connection for days. */
const longestPauseMs = 2 * 3_600_000;

export interface AskedPause {
  /** epoch milliseconds */
  readonly untilMs: number;
  /** false: the answer named no time; where the limit lasts, the next pause should be longer */
  readonly isNamed: boolean;
}

/** undefined: the answer is no rate limit. */
export function pausedUntil(
  { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
  nowMs: number,
): AskedPause | undefined {
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
