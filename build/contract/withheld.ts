// `index/_withheld.json`: versions that people withdrew although their sources have them. The file is in the folder of
// the serving index. So the versions stay withdrawn after a loss of the builder's memory and after a move of the tree.
// Older versions wrote it without a checksum.

import { withChecksum } from './checksum.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { parseVersionList } from './version-list.ts';
import type { NormalizedVersion } from './version.ts';

export const withheldFormat = 1;

/** Below `index/`. */
export const withheldPath = '_withheld.json';

export interface WithheldVersion {
  readonly name: PackageName;
  /** the published label */
  readonly version: string;
  readonly version_normalized: NormalizedVersion;
  /** RFC 3339 UTC */
  readonly since: string;
}

/** Canonical bytes, in any order of the versions. */
export function formatWithheld(versions: readonly WithheldVersion[]): string {
  const sorted = versions
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
    .map(({ name, version, version_normalized: normalized, since }) => ({
      name,
      version,
      version_normalized: normalized,
      since,
    }));
  return withChecksum(JSON.stringify({ format: withheldFormat, versions: sorted }, null, 1));
}

function keyOf({ name, version_normalized: normalized }: WithheldVersion): string {
  return `${name} ${normalized}`;
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parseWithheld(text: string): readonly WithheldVersion[] {
  return parseVersionList(text, withheldFormat, (row) => {
    const { name: given, version, version_normalized: normalized, since } = row;
    const name = typeof given === 'string' ? parsePackageName(given) : undefined;
    if (
      name === undefined ||
      typeof version !== 'string' ||
      typeof normalized !== 'string' ||
      typeof since !== 'string'
    )
      return undefined;
    return { name, version, version_normalized: normalized as NormalizedVersion, since };
  });
}
