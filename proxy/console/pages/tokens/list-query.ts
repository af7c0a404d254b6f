// The query of the list of tokens: words, filters and page, from and to its address. Pure.

import { tokenStatus, type TokenRecord } from '../../../core/tokens/token.ts';

export const tokenKinds = ['read', 'write'] as const;
export const tokenStates = ['active', 'expired', 'revoked', 'any'] as const;

export interface TokenQuery {
  readonly words: string;
  readonly kind: (typeof tokenKinds)[number] | '';
  readonly state: (typeof tokenStates)[number];
  /** from 1 */
  readonly page: number;
}

export const tokensPerPage = 50;

/** Unknown values count as not given. */
export function parseTokenQuery(query: URLSearchParams): TokenQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    words: (query.get('q') ?? '').trim().slice(0, 200),
    kind: tokenKinds.find((kind) => kind === query.get('kind')) ?? '',
    state: tokenStates.find((state) => state === query.get('state')) ?? 'active',
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address of the list with this query, below /ui; what is standard is left out. */
export function tokenListPath({ words, kind, state, page }: TokenQuery): string {
  const given = Object.entries({
    q: words,
    kind,
    state: state === 'active' ? '' : state,
    page: page === 1 ? '' : String(page),
  }).filter(([, value]) => value !== '');
  return given.length === 0 ? '/tokens' : `/tokens?${new URLSearchParams(given)}`;
}

/** The tokens that the query asks for, newest first. Words are searched in the description, the id and the patterns. */
export function selectTokens(
  records: readonly TokenRecord[],
  { words, kind, state }: TokenQuery,
  nowMs: number,
): readonly TokenRecord[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return records
    .filter((record) => {
      if (kind !== '' && record.kind !== kind) return false;
      if (state !== 'any' && tokenStatus(record, nowMs) !== state) return false;
      const text = [record.description, record.id, ...(record.packages ?? [])].join('\n').toLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .toReversed();
}
