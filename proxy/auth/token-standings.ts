// What a token's record does not hold: the limits of its kind, its last use, and the requests it has made this hour.

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Counters } from '../core/limits/counters.ts';
import { limitWindowMs, type Window } from '../core/limits/windows.ts';
import type { TokenKind } from '../core/tokens/token-format.ts';
import type { TokenUse, TokenUses } from '../core/tokens/token-uses.ts';
import type { TokenRecord } from '../core/tokens/token.ts';

export interface TokenUsage {
  readonly record: TokenRecord;
  /** requests an hour by kind; 0: without a limit */
  readonly defaults: Readonly<Record<TokenKind, number>>;
  /** undefined: never used */
  readonly use: TokenUse | undefined;
  /** undefined: the next request begins one */
  readonly window: Window | undefined;
  /** false: nobody counts here */
  readonly isCounted: boolean;
  /** when this was read, epoch milliseconds */
  readonly nowMs: number;
}

export interface TokenStandingParts {
  readonly defaultLimits: () => MaybeAsync<Readonly<Record<TokenKind, number>>>;
  readonly uses: Pick<TokenUses, 'of'>;
  /** undefined: on the host of the registry, where nobody counts requests */
  readonly counters?: Pick<Counters, 'peek'> | undefined;
}

/** In the order of `records`. */
export async function readTokenStandings(
  { defaultLimits, uses, counters }: TokenStandingParts,
  records: readonly TokenRecord[],
  nowMs: number,
): Promise<readonly TokenUsage[]> {
  const [defaults, used, windows] = await Promise.all([
    defaultLimits(),
    uses.of(records.map(({ id }) => id)),
    Promise.all(records.map(({ id }) => counters?.peek(id, limitWindowMs, nowMs))),
  ]);
  const isCounted = counters !== undefined;
  return records.map((record, at) => ({
    record,
    defaults,
    use: used.get(record.id),
    window: windows[at],
    isCounted,
    nowMs,
  }));
}
