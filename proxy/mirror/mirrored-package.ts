// What is stored of one mirrored package: the registries that it comes from, and its accepted archives. Sends no
// request.

import type { PackageName } from '../../build/contract/name.ts';
import type { Mirror } from './mirror.ts';

/** A version whose archive is stored here. */
export interface StoredVersion {
  readonly version: string;
  /** the upstream's, of any form; empty if it gave none */
  readonly reference: string;
  readonly shasum: string;
  /** bytes */
  readonly size: number;
  /** RFC 3339 UTC */
  readonly fetched_at: string;
}

export interface MirroredPackage {
  /** addresses of the registries that are asked for it, in their order */
  readonly registries: readonly string[];
  /** the latest fetch first */
  readonly kept: readonly StoredVersion[];
  /** the number of records that cannot be read */
  readonly unreadable: number;
}

export async function readMirroredPackage(
  mirror: Pick<Mirror, 'settings' | 'archiveStore'>,
  name: PackageName,
): Promise<MirroredPackage> {
  const [{ compiled, belongs }, { records, unreadable }] = await Promise.all([
    mirror.settings(),
    mirror.archiveStore.inspect(name),
  ]);
  const belonging = belongs(name);
  const ids = new Set(belonging.to === 'upstreams' ? belonging.ids : []);
  return {
    registries: compiled.rules.upstreams.filter(({ id }) => ids.has(id)).map(({ url }) => url),
    kept: records
      .toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1))
      .map(({ version, reference, shasum, size, fetchedAt }) => ({
        version,
        reference,
        shasum,
        size,
        fetched_at: fetchedAt,
      })),
    unreadable: unreadable.length,
  };
}
