// The flags that `token create` and `token update` share, from text to values.

import { parseExpiry } from '../proxy/auth/expiry.ts';
import { parseWholeNumber } from './setting-values.ts';
import { mostRequestsAnHour } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** `--limit N`: undefined when it was not given. Throws UsageError. */
export function limitFlag(raw: unknown): number | undefined {
  if (raw === undefined) return undefined;
  const limit = parseWholeNumber(raw, 0, mostRequestsAnHour);
  if (limit !== undefined) return limit;
  throw new UsageError(`--limit is ${JSON.stringify(raw)}; allowed: requests an hour as a whole number up to ${mostRequestsAnHour}, or 0 for no limit.`);
}

/** `--expires WHEN`: undefined when it was not given. Throws TokenError. */
export function expiryFlag(raw: unknown, nowMs: number): Date | undefined {
  return typeof raw === 'string' ? parseExpiry(raw, nowMs) : undefined;
}
