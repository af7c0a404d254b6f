// The flags that `token create` and `token update` share, from text to values.

import { parseExpiry } from '../../../proxy/auth/expiry.ts';
import { TokenError } from '../../../proxy/auth/token-error.ts';
import type { TokenKind } from '../../../proxy/core/tokens/token-format.ts';
import { checkedDescription } from '../../../proxy/auth/token-fields.ts';
import { mostRequestsAnHour } from '../../../proxy/settings/setting-kinds.ts';
import type { TokenLimits } from '../../../proxy/core/views/token-limits.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import { parseLimitFlags } from './token-limit-flags.ts';
import { UsageError } from '../../io/usage-error.ts';

/** The fields of a token as its operations take them. */
export interface TokenFlags extends Partial<TokenLimits> {
  readonly description: string | undefined;
  readonly kind: TokenKind | undefined;
  /** null: the default of the kind */
  readonly rate_limit: number | null | undefined;
  /** null: never */
  readonly expires_at: string | null | undefined;
}

/**
 * undefined: not given. Throws UsageError with all faults of all flags, a line each. `takesDefault`: a limit may be
 * `default`.
 */
export function tokenFlags(
  given: Readonly<Record<string, unknown>>,
  nowMs: number,
  { takesDefault = false }: { readonly takesDefault?: boolean } = {},
): TokenFlags {
  const { description, kind, limit, expires } = given;
  const problems: string[] = [];
  const noting = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof TokenError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const isDefault = takesDefault && limit === 'default';
  const flags = {
    description: typeof description === 'string' ? noting(() => checkedDescription(description)) : undefined,
    kind: kind === undefined ? undefined : noting(() => kindFlag(kind)),
    rate_limit: isDefault ? null : limit === undefined ? undefined : noting(() => limitFlag(limit)),
    expires_at: typeof expires === 'string' ? noting(() => expiryFlag(expires, nowMs)) : undefined,
    ...noting(() => parseLimitFlags(given)),
  };
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return flags;
}

function expiryFlag(text: string, nowMs: number): string | null {
  return text.toLowerCase() === 'never' ? null : parseExpiry(text, nowMs).toISOString();
}

function kindFlag(raw: unknown): TokenKind {
  if (raw === 'read' || raw === 'write') return raw;
  throw new UsageError(`--kind is ${JSON.stringify(raw)}; allowed: read or write.`);
}

function limitFlag(raw: unknown): number {
  const limit = parseWholeNumber(raw, 0, mostRequestsAnHour);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `--limit is ${JSON.stringify(raw)}; allowed: requests an hour as a whole number up to ` +
      `${mostRequestsAnHour}, or 0 for no limit.`,
  );
}
