// What the announcement of a publication says of the tombstones in `index/_purged.json`, pure. A list that is lost, or
// that lacks a row, is noticed by this.

import { isJsonObject } from './json.ts';
import { parsePackageName } from './name.ts';
import { purgedKey, type PurgedVersion } from './purged.ts';
import type { NormalizedVersion } from './version.ts';

/** Enough to name the version to people, and to keep its label and its reference out. */
export type AnnouncedPurge = Pick<PurgedVersion, 'name' | 'version' | 'version_normalized' | 'reference'>;

/** Sorted, whatever order the rows come in. */
export function announcedPurges(rows: readonly PurgedVersion[]): readonly AnnouncedPurge[] {
  const purges = rows.map(({ name, version, version_normalized, reference }) => ({
    name,
    version,
    version_normalized,
    reference,
  }));
  return purges.toSorted((one, other) => (purgedKey(one) < purgedKey(other) ? -1 : 1));
}

/**
 * Those without a row. A list may have more rows: tombstones are in place before they are announced, and a publication
 * may be cut off in between.
 */
export function missingPurges(
  announced: readonly AnnouncedPurge[],
  rows: readonly PurgedVersion[],
): readonly AnnouncedPurge[] {
  const keys = new Set(rows.map(purgedKey));
  return announced.filter((purge) => !keys.has(purgedKey(purge)));
}

/**
 * Whether an announcement from which `rows` lacks nothing names all of them. One of an older version of Libretto names
 * none: the next build announces them, whatever else it finds.
 */
export function announcesAll(
  announced: readonly AnnouncedPurge[] | undefined,
  rows: readonly PurgedVersion[],
): boolean {
  return (announced?.length ?? 0) === rows.length;
}

/**
 * Tombstones for what a list lost. They keep label and reference out; digests of the files, reason and date are lost.
 */
export function replacedTombstones(missing: readonly AnnouncedPurge[], now: Date): readonly PurgedVersion[] {
  return missing.map((purge) => ({
    ...purge,
    sha1: null,
    sha256: null,
    content: null,
    released: null,
    source: null,
    reason: 'other',
    since: now.toISOString(),
  }));
}

/** Throws an Error that says what is wrong with it. */
export function parseAnnouncedPurges(value: unknown): readonly AnnouncedPurge[] {
  if (!Array.isArray(value)) throw new Error('purged is malformed');
  return value.map((purge: unknown) => {
    const { name: given, version, version_normalized: normalized, reference } = isJsonObject(purge) ? purge : {};
    const name = typeof given === 'string' ? parsePackageName(given) : undefined;
    if (
      name === undefined ||
      typeof version !== 'string' ||
      typeof normalized !== 'string' ||
      typeof reference !== 'string'
    )
      throw new Error('purged is malformed');
    return { name, version, version_normalized: normalized as NormalizedVersion, reference };
  });
}
