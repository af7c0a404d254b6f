// Finds rows that no longer matter: ids of expired ID tokens, and tokens of publishers that ended a day ago. Each
// exchange looks at a few rows behind its own keys and removes more than it adds, so that they never pile up.

import { tokenHashKey, tokenKey, type TokenId } from '../../core/tokens/token.ts';
import type { TokenHash } from '../../core/tokens/token-format.ts';
import { tokenUseKey } from '../../core/tokens/token-uses.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseTokenRun, tokenRunKey, tokenRunPrefix } from '../model/token-run.ts';
import { parseUsedId, usedIdPrefix } from './used-ids.ts';

const lookedAt = 20;
/** Lists and the audit log show an ended token for this time. */
export const keptMs = 86_400_000;

/** The keys to delete. */
export async function endedRows(
  state: Pick<StateStore, 'range'>,
  { usedKey, token }: { readonly usedKey: string; readonly token: TokenId },
  nowMs: number,
): Promise<readonly string[]> {
  const [used, runs] = await Promise.all([
    state.range(usedIdPrefix, { after: usedKey, limit: lookedAt }),
    state.range(tokenRunPrefix, { after: tokenRunKey(token), limit: lookedAt }),
  ]);
  return [
    ...used.filter(({ value }) => parseUsedId(value) < nowMs).map(({ key }) => key),
    ...runs.flatMap(({ key, value }) => {
      const { hash, expires_at } = parseTokenRun(value);
      if (Date.parse(expires_at) + keptMs >= nowMs) return [];
      const id = key.slice(tokenRunPrefix.length) as TokenId;
      return [key, tokenKey(id), tokenHashKey(hash as TokenHash), tokenUseKey(id)];
    }),
  ];
}
