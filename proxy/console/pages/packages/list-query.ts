// What a person wants to see of the packages: words, filters, an order and a page, as they stand in the address. Pure.

import { normalizeVersion } from '../../../../build/contract/version.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import { searchFilter } from '../../../packages/search-packages.ts';

export const orders = ['name', 'updated', 'downloads'] as const;
export type Order = (typeof orders)[number];

export const stabilities = ['stable', 'dev'] as const;
export const states = ['abandoned', 'advisory'] as const;
export const origins = ['private', 'mirrored'] as const;

export interface ListQuery {
  readonly words: string;
  /** empty: every type */
  readonly type: string;
  readonly stability: (typeof stabilities)[number] | '';
  readonly state: (typeof states)[number] | '';
  readonly origin: (typeof origins)[number] | '';
  readonly order: Order;
  /** from 1 */
  readonly page: number;
}

export interface ListedRow {
  readonly summary: PackageSummary;
  readonly isMirrored: boolean;
  readonly downloads: number;
  /** an advisory of the registry's list names it */
  readonly hasAdvisories: boolean;
}

export const rowsPerPage = 50;

/** Unknown values count as not given: a page opened from an old link still shows something. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    words: (query.get('q') ?? '').slice(0, 200),
    type: (query.get('type') ?? '').slice(0, 100),
    stability: oneOf(stabilities, query.get('stability')),
    state: oneOf(states, query.get('state')),
    origin: oneOf(origins, query.get('origin')),
    order: oneOf(orders, query.get('sort')) || 'name',
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address of the list with this query, below /ui; what is standard is left out. */
export function listPath({ words, type, stability, state, origin, order, page }: ListQuery): string {
  const given = Object.entries({
    q: words,
    type,
    stability,
    state,
    origin,
    sort: order === 'name' ? '' : order,
    page: page === 1 ? '' : String(page),
  }).filter(([, value]) => value !== '');
  return given.length === 0 ? '/packages' : `/packages?${new URLSearchParams(given)}`;
}

/** The rows that the query asks for, in its order. */
export function selectRows(rows: readonly ListedRow[], query: ListQuery): readonly ListedRow[] {
  const isFound = searchFilter({ words: query.words, type: query.type === '' ? undefined : query.type });
  const wanted = rows.filter((row) => isFound(row.summary) && fits(row, query));
  if (query.order === 'name') return wanted;
  return query.order === 'updated'
    ? wanted.toSorted((a, b) => compare(b.summary.updated_at, a.summary.updated_at))
    : wanted.toSorted((a, b) => b.downloads - a.downloads);
}

function fits({ summary, isMirrored, hasAdvisories }: ListedRow, { stability, state, origin }: ListQuery): boolean {
  if (stability !== '' && (stability === 'stable') !== hasStable(summary)) return false;
  if (state === 'abandoned' && summary.abandoned === false) return false;
  if (state === 'advisory' && !hasAdvisories) return false;
  return origin === '' || (origin === 'mirrored') === isMirrored;
}

/** The latest version is stable as soon as one version is. */
function hasStable({ latest_version: latest }: PackageSummary): boolean {
  return parseStability(normalizeVersion(latest) ?? latest) === 'stable';
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null): Value | '' {
  return values.find((value) => value === text) ?? '';
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
