// The query of the list of stored packages, from and to its address. Pure.

import type { StoredPackage } from '../../../mirror/stored-package-reader.ts';

export interface MirrorQuery {
  /** a part of the name; empty: every package */
  readonly words: string;
  /** true: only packages of which something is held back */
  readonly isHeldBack: boolean;
  /** from 1 */
  readonly page: number;
}

export const packagesPerPage = 50;

/** Unknown values count as not given. */
export function parseMirrorQuery(query: URLSearchParams): MirrorQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    words: (query.get('q') ?? '').trim().slice(0, 200).toLowerCase(),
    isHeldBack: query.get('show') === 'held-back',
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address of the list with this query; what is standard is left out. */
export function mirrorPath({ words, isHeldBack, page }: MirrorQuery): string {
  const given = Object.entries({
    q: words,
    show: isHeldBack ? 'held-back' : '',
    page: page === 1 ? '' : String(page),
  }).filter(([, value]) => value !== '');
  return given.length === 0 ? '/mirror' : `/mirror?${new URLSearchParams(given)}`;
}

export function selectStoredPackages(
  packages: readonly StoredPackage[],
  { words, isHeldBack }: MirrorQuery,
): readonly StoredPackage[] {
  return packages.filter(({ name, heldBack }) => name.includes(words) && (!isHeldBack || heldBack.length > 0));
}
