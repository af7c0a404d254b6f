// Finds the packages for a search, and sorts them. Pure.

import type { PackageSummary } from './package-summary.ts';

export interface PackageSearch {
  /** words that must all occur in name, description or keywords */
  readonly words?: string | undefined;
  readonly type?: string | undefined;
  readonly vendor?: string | undefined;
}

/** What a search compares. */
export interface Searched extends Pick<PackageSummary, 'type' | 'keywords' | 'abandoned' | 'text'> {
  readonly name: string;
  readonly description?: string | null;
}

export type PackageSort = 'name' | 'updated' | 'downloads';

export function searchPackages(packages: Iterable<PackageSummary>, search: PackageSearch): PackageSummary[] {
  return [...packages].filter(searchFilter(search));
}

export function searchFilter({ words = '', type, vendor }: PackageSearch): (searched: Searched) => boolean {
  const wanted = wordsOf(words);
  const ofType = type?.toLowerCase();
  const prefix = vendor === undefined ? undefined : `${vendor.toLowerCase()}/`;
  return (summary) =>
    (ofType === undefined || summary.type === ofType) &&
    (prefix === undefined || summary.name.startsWith(prefix)) &&
    wanted.every((word) => summary.text.includes(word));
}

/** The maximum number of words: a request could have thousands. */
const mostWords = 16;

export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().split(/\s+/))].filter((word) => word !== '').slice(0, mostWords);
}

/** A key by which packages are sorted: ascending by name, descending by the others. */
export function sortKeyOf(summary: PackageSummary, sort: PackageSort, downloads: number): string {
  if (sort === 'name') return summary.name;
  return `${sort === 'updated' ? summary.updated_at : String(downloads).padStart(16, '0')} ${summary.name}`;
}
