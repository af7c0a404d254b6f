// Parses the expiry of a token: `90d`, `12h`, `2w` from now, a day, which counts to its end in UTC, or an instant in
// RFC 3339.

import { TokenError } from './token-error.ts';

const hourMs = 3_600_000;
const unitMs: Readonly<Record<string, number>> = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs };

/** When a new token ends if nobody says otherwise, wherever it is made. */
export const standardExpiry = '90d';

/** Ten years. A token that outlives this is better made without an end. */
const longestMs = 3660 * 24 * hourMs;

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** `text` as an instant after `nowMs` (epoch milliseconds). Throws TokenError EXPIRY_INVALID. */
export function parseExpiry(text: string, nowMs: number): Date {
  const span = /^(\d{1,6})([hdw])$/.exec(text);
  const unit = span === null ? undefined : unitMs[span[2] ?? ''];
  const expiresMs =
    unit === undefined ? parseInstant(day.test(text) ? `${text}T23:59:59Z` : text) : nowMs + Number(span?.[1]) * unit;
  return assertExpiry(new Date(expiresMs), nowMs, text);
}

/** The given date if it is valid, in the future and not too far away. Throws TokenError EXPIRY_INVALID. */
export function assertExpiry(expires: Date, nowMs: number, text = String(expires)): Date {
  const ahead = expires.getTime() - nowMs;
  if (Number.isNaN(ahead)) {
    throw new TokenError(
      'EXPIRY_INVALID',
      `"${text}" is not a valid expiry. Write a duration such as 12h, 90d or 2w, a day such as ` +
        '2027-01-31 (to its end, UTC), or a time such as 2027-01-31T12:00:00Z.',
    );
  }
  if (ahead <= 0)
    throw new TokenError('EXPIRY_INVALID', `"${text}" does not lie in the future. To end a token now, revoke it.`);
  if (ahead > longestMs)
    throw new TokenError(
      'EXPIRY_INVALID',
      `"${text}" is more than ten years in the future. A token that does not expire has the expiry never, which is ` +
        'null in the API.',
    );
  return expires;
}

/**
 * RFC 3339 §5.6, always with an offset; NaN for another text, and for a day that does not exist (which Date would move
 * to the next month).
 */
function parseInstant(text: string): number {
  const [, year, month, day] = instant.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return Number.NaN;
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= last ? Date.parse(text.toUpperCase()) : Number.NaN;
}
