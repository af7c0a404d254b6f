// Which packages a search finds, and in which order, pure.

import type { PackageSummary } from './package-summary.ts';

export interface PackageSearch {
  /** words, of which each must stand somewhere in name, description or keywords */
  readonly words?: string | undefined;
  readonly type?: string | undefined;
  readonly vendor?: string | undefined;
}

export type PackageSort = 'name' | 'updated' | 'downloads';

export function searchPackages(packages: Iterable<PackageSummary>, { words = '', type, vendor }: PackageSearch): PackageSummary[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return [...packages].filter(
    (summary) => (type === undefined || summary.type === type.toLowerCase()) && (vendor === undefined || summary.name.startsWith(`${vendor.toLowerCase()}/`)) && wanted.every((word) => summary.text.includes(word)),
  );
}

/** A key by which packages are sorted: ascending by name, descending by the others. */
export function sortKeyOf(summary: PackageSummary, sort: PackageSort, downloads: number): string {
  if (sort === 'name') return summary.name;
  return `${sort === 'updated' ? summary.updated_at : String(downloads).padStart(16, '0')} ${summary.name}`;
}
