// The job that a publisher's token was made for, as a row beside the token. The row tells such tokens from others.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parsePublishedFrom, type PublishedFrom } from '../../artifacts/published-from.ts';
import type { TokenId } from '../../core/tokens/token.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';

export interface TokenRun {
  readonly run: PublishedFrom;
  /** of the token */
  readonly hash: string;
  readonly expires_at: string;
}

export const tokenRunPrefix = 'token-run/';

export function tokenRunKey(id: TokenId): string {
  return `${tokenRunPrefix}${id}`;
}

/** Throws StateError for a malformed row. */
export function parseTokenRun(value: JsonValue): TokenRun {
  const { run = null, hash, expires_at } = isJsonObject(value) ? value : {};
  if (typeof hash === 'string' && typeof expires_at === 'string' && !Number.isNaN(Date.parse(expires_at)))
    return { run: parsePublishedFrom(run), hash, expires_at };
  throw malformedRecord('The job of a token');
}

/** undefined: no trusted publisher made this token. */
export async function runOfToken(state: Pick<StateStore, 'get'>, id: TokenId): Promise<PublishedFrom | undefined> {
  const entry = await state.get(tokenRunKey(id));
  return entry === undefined ? undefined : parseTokenRun(entry.value).run;
}
