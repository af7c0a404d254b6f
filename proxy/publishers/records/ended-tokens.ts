// The active tokens of a publisher, as they are after its removal: revoked.

import { parseTokenRecord, tokenKey, tokenStatus, type TokenId, type TokenRecord } from '../../core/tokens/token.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { PublisherId } from '../model/publisher.ts';
import { parseTokenRun, tokenRunPrefix } from '../model/token-run.ts';

export interface EndedToken {
  readonly key: string;
  readonly record: TokenRecord;
  readonly revision: number;
}

export async function endedTokens(
  state: Pick<StateStore, 'get' | 'range'>,
  publisher: PublisherId,
  nowMs: number,
): Promise<readonly EndedToken[]> {
  const rows = (await state.range(tokenRunPrefix)).filter(({ value }) => {
    const { run, expires_at } = parseTokenRun(value);
    return run.publisher === publisher && Date.parse(expires_at) > nowMs;
  });
  const entries = await Promise.all(
    rows.map(({ key }) => state.get(tokenKey(key.slice(tokenRunPrefix.length) as TokenId))),
  );
  return entries.flatMap((entry) => {
    const record = entry === undefined ? undefined : parseTokenRecord(entry.value);
    if (entry === undefined || record === undefined || tokenStatus(record, nowMs) !== 'active') return [];
    const revoked_at = new Date(nowMs).toISOString();
    return [{ key: entry.key, record: { ...record, revoked_at }, revision: entry.revision }];
  });
}
