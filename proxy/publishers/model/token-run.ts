// The job that a publisher's token was made for, as a row beside the token. The row tells such tokens from others.

import { z } from 'zod';
import { publishedFromSchema, type PublishedFrom } from '../../artifacts/published-from.ts';
import { type TokenId, parseTokenRecord, tokenKey, type TokenRecord } from '../../core/tokens/token.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { rowParser, type RowOf } from '../../state/rows.ts';

/** `hash`: of the token */
const tokenRun = z.object({
  run: publishedFromSchema,
  hash: z.string(),
  expires_at: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});
export type TokenRun = RowOf<typeof tokenRun>;

export const tokenRunPrefix = 'token-run/';

export function tokenRunKey(id: TokenId): string {
  return `${tokenRunPrefix}${id}`;
}

/** Throws StateError for a malformed row. */
export const parseTokenRun = rowParser(tokenRun, 'The job of a token');

/** undefined: no trusted publisher made this token. */
export async function runOfToken(state: Pick<StateStore, 'get'>, id: TokenId): Promise<PublishedFrom | undefined> {
  const entry = await state.get(tokenRunKey(id));
  return entry === undefined ? undefined : parseTokenRun(entry.value).run;
}

export interface PublisherToken {
  readonly token: TokenRecord;
  readonly run: PublishedFrom;
}

/**
 * The last tokens that a publisher gave out, newest first, at most `most`. They are listed for a day after their end.
 */
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
