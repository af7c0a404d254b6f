// The query of the list of repositories: words, kind, state and page. Pure.

import type { RepositoryType } from '../../../sync/repository.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { typeWords } from './repository-words.tsx';

export const repositoriesPerPage = 50;

export interface RepositoryQuery {
  readonly words: string;
  readonly kind: RepositoryType | '';
  readonly state: RepositoryDocument['status'] | '';
  /** from 1 */
  readonly page: number;
}

const states = ['pending', 'syncing', 'active', 'error'] as const;

/** Unknown values count as not given. */
export function parseRepositoryQuery(query: URLSearchParams): RepositoryQuery {
  const page = Number(query.get('page') ?? '1');
  const kinds = Object.keys(typeWords) as RepositoryType[];
  return {
    words: (query.get('q') ?? '').trim().slice(0, 200),
    kind: kinds.find((one) => one === query.get('kind')) ?? '',
    state: states.find((one) => one === query.get('state')) ?? '',
    page: Number.isSafeInteger(page) && page > 0 && page < 1e6 ? page : 1,
  };
}

/** Failed ones first, then by address. Every word must be in the address or the id. */
export function selectRepositories(
  all: readonly RepositoryDocument[],
  { words, kind, state }: RepositoryQuery,
): readonly RepositoryDocument[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return all
    .filter(
      ({ id, url, type, status }) =>
        (kind === '' || type === kind) &&
        (state === '' || status === state) &&
        wanted.every((word) => `${id} ${url ?? ''}`.toLowerCase().includes(word)),
    )
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

export function repositoryListPath({ words, kind, state, page }: RepositoryQuery): string {
  const given = Object.entries({ q: words, kind, state, page: page === 1 ? '' : String(page) });
  const query = new URLSearchParams(given.filter(([, value]) => value !== ''));
  return query.size === 0 ? '/repositories' : `/repositories?${query}`;
}

function orderOf({ status, url, id }: RepositoryDocument): string {
  return `${status === 'error' ? 0 : 1} ${url ?? ''} ${id}`;
}
