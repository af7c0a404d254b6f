// The job that a publisher's token was made for, as a row beside the token. The row tells such tokens from others.

import { z } from 'zod';
import type { JsonValue } from '../../../build/contract/json.ts';
import { publishedFromSchema, type PublishedFrom } from '../../artifacts/published-from.ts';
import type { TokenId } from '../../core/tokens/token.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseRow, type RowOf } from '../../state/rows.ts';

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
export function parseTokenRun(value: JsonValue): TokenRun {
  return parseRow(tokenRun, value, 'The job of a token');
}

/** undefined: no trusted publisher made this token. */
export async function runOfToken(state: Pick<StateStore, 'get'>, id: TokenId): Promise<PublishedFrom | undefined> {
  const entry = await state.get(tokenRunKey(id));
  return entry === undefined ? undefined : parseTokenRun(entry.value).run;
}
