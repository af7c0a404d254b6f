// The last tokens that a publisher gave out, each with its job. They are listed for a day after their end.

import { parseTokenRecord, tokenKey, type TokenId, type TokenRecord } from '../../core/tokens/token.ts';
import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseTokenRun, tokenRunPrefix } from '../model/token-run.ts';

export interface PublisherToken {
  readonly token: TokenRecord;
  readonly run: PublishedFrom;
}

/** Newest first, at most `most`. */
export async function publisherTokens(
  state: Pick<StateStore, 'get' | 'range'>,
  publisher: string,
  most: number,
): Promise<readonly PublisherToken[]> {
  const rows = (await state.range(tokenRunPrefix))
    .map(({ key, value }) => ({ id: key.slice(tokenRunPrefix.length) as TokenId, ...parseTokenRun(value) }))
    .filter(({ run }) => run.publisher === publisher)
    .toSorted((one, other) => Date.parse(other.expires_at) - Date.parse(one.expires_at))
    .slice(0, most);
  const entries = await Promise.all(rows.map(({ id }) => state.get(tokenKey(id))));
  return rows.flatMap(({ run }, at) => {
    const entry = entries[at];
    return entry === undefined ? [] : [{ token: parseTokenRecord(entry.value), run }];
  });
}
