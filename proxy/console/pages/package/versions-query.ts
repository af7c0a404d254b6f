// Which versions a person wants to see, as it stands in the address. Pure.

import { packagePath } from './open-package.ts';
import { versionKinds, type VersionKind } from './version-rows.ts';

export interface VersionsQuery {
  /** empty: all */
  readonly kind: VersionKind | '';
  /** from 1 */
  readonly page: number;
}

export const versionsPerPage = 50;

/** Unknown values count as not given. */
export function parseVersionsQuery(query: URLSearchParams): VersionsQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    kind: versionKinds.find((kind) => kind === query.get('kind')) ?? '',
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address of the list below /ui; what is standard is left out. */
export function versionsPath(name: string, { kind, page }: VersionsQuery): string {
  return packagePath(name, 'versions', {
    ...(kind === '' ? {} : { kind }),
    ...(page === 1 ? {} : { page: String(page) }),
  });
}
