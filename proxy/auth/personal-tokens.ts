// The tokens of a person. They end in the same commit that disables or removes the person. A commit that makes one has
// the condition that the person is unchanged, so that none is made beside that commit.

import { RegistryError } from '../../build/contract/errors.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { parseTokenRecord, tokenKeyPrefix, tokenStatus, type TokenRecord } from '../core/tokens/token.ts';
import type { Tokens } from './tokens.ts';

type Reader = Pick<StateStore, 'range'>;

/** The tokens of the person that are valid now, newest first. */
export async function personalTokens(store: Reader, userId: string, nowMs: number): Promise<readonly TokenRecord[]> {
  const records = (await store.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  return records
    .filter((record) => record.person === userId && tokenStatus(record, nowMs) === 'active')
    .sort((a, b) => compareText(b.created_at, a.created_at) || compareText(b.id, a.id));
}

/** Ends one of the person's tokens; a repeated call changes nothing. Throws NOT_FOUND. */
export async function endPersonalToken(
  tokens: Pick<Tokens, 'list' | 'revoke'>,
  userId: string,
  id: string,
): Promise<TokenRecord> {
  const found = (await tokens.list()).find((record) => record.id === id && record.person === userId);
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'You have no such token.' });
  return (await tokens.revoke(found.id)).record;
}
