// The query of the list of packages: words, filters, order and page, from and to its address. Pure.

import { normalizeVersion } from '../../../../build/contract/version.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { WithMalware } from '../../../usage/read-exposures.ts';
import { searchFilter } from '../../../packages/search-packages.ts';
import type { Block } from '../../../policy/admin/package-standing.ts';
import { compareText } from '../../../../build/shared/text/compare-text.ts';

export const listOrders = ['name', 'updated', 'downloads'] as const;
export type ListOrder = (typeof listOrders)[number];

export const listStabilities = ['stable', 'dev'] as const;
export const listStates = ['abandoned', 'advisory'] as const;
export const listOrigins = ['private', 'mirrored'] as const;

export interface ListQuery {
  readonly words: string;
  /** empty: every type */
  readonly type: string;
  readonly stability: (typeof listStabilities)[number] | '';
  readonly state: (typeof listStates)[number] | '';
  readonly origin: (typeof listOrigins)[number] | '';
  readonly order: ListOrder;
  /** from 1 */
  readonly page: number;
}

export interface PackageEntry {
  readonly summary: PackageSummary;
  readonly isMirrored: boolean;
}

/** What a row shows. */
export interface PackageRow extends PackageEntry, WithMalware {
  readonly downloads: number;
  /** an advisory of the registry's list names it, or it has malware */
  readonly hasAdvisories: boolean;
  /** one of them is about the latest version */
  readonly isLatestAdvised: boolean;
  /** of a mirrored package of which clients get no version */
  readonly block?: Pick<Block, 'isHeld'> | undefined;
}

/** Facts that change without a publication. */
export interface ListFacts {
  readonly downloadsOf: (name: PackageName) => number;
  readonly hasAdvisories: (name: PackageName) => boolean;
}

export const rowsPerPage = 50;

/** Unknown values count as not given: a page opened from an old link still shows something. */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    words: (query.get('q') ?? '').slice(0, 200),
    type: (query.get('type') ?? '').slice(0, 100),
    stability: oneOf(listStabilities, query.get('stability')),
    state: oneOf(listStates, query.get('state')),
    origin: oneOf(listOrigins, query.get('origin')),
    order: oneOf(listOrders, query.get('sort')) || 'name',
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

/** The packages that the query asks for, in its order. `packages`: sorted by name. */
export function selectPackages(
  packages: readonly PackageEntry[],
  query: ListQuery,
  facts: ListFacts,
): readonly PackageEntry[] {
  const wanted = filterPackages(packages, query, facts);
  if (query.order === 'name') return wanted;
  if (query.order === 'updated')
    return wanted.toSorted((a, b) => compareText(b.summary.updated_at, a.summary.updated_at));
  return wanted
    .map((one) => ({ one, downloads: facts.downloadsOf(one.summary.name) }))
    .toSorted((a, b) => b.downloads - a.downloads)
    .map(({ one }) => one);
}

function filterPackages(packages: readonly PackageEntry[], query: ListQuery, facts: ListFacts) {
  const { words, type, stability, state, origin } = query;
  if ([words, type, stability, state, origin].every((asked) => asked === '')) return packages;
  const isFound = searchFilter({ words, type: type === '' ? undefined : type });
  return packages.filter((one) => isFound(one.summary) && fits(one, query, facts));
}

function fits({ summary, isMirrored }: PackageEntry, query: ListQuery, { hasAdvisories }: ListFacts): boolean {
  const { stability, state, origin } = query;
  if (stability !== '' && (stability === 'stable') !== hasStable(summary)) return false;
  if (state === 'abandoned' && summary.abandoned === false) return false;
  if (state === 'advisory' && !hasAdvisories(summary.name)) return false;
  return origin === '' || (origin === 'mirrored') === isMirrored;
}

/** The latest version is stable as soon as one version is. */
function hasStable({ latest_version: latest }: PackageSummary): boolean {
  return parseStability(normalizeVersion(latest) ?? latest) === 'stable';
}

function oneOf<Value extends string>(values: readonly Value[], text: string | null): Value | '' {
  return values.find((value) => value === text) ?? '';
}
