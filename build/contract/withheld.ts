// `index/_withheld.json`: versions that people withdrew although their sources have them. It stands beside the serving index, so that they stay withdrawn
// when the builder's memory is lost, and when the tree moves.

import { isJsonObject } from './json.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { refuseNewer } from './newer-format.ts';
import type { NormalizedVersion } from './version.ts';

export const withheldFormat = 1;

/** Below `index/`. */
export const withheldPath = '_withheld.json';

export interface WithheldVersion {
  readonly name: PackageName;
  /** as it was published */
  readonly version: string;
  readonly version_normalized: NormalizedVersion;
  /** RFC 3339 UTC */
  readonly since: string;
}

/** Canonical bytes, whatever order they come in. */
export function formatWithheld(versions: readonly WithheldVersion[]): string {
  const sorted = versions.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).map(({ name, version, version_normalized: normalized, since }) => ({ name, version, version_normalized: normalized, since }));
  return `${JSON.stringify({ format: withheldFormat, versions: sorted }, null, 1)}\n`;
}

function keyOf({ name, version_normalized: normalized }: WithheldVersion): string {
  return `${name} ${normalized}`;
}

/** Throws an Error that says what is wrong with it, NewerFormat among them; the caller names the file. */
export function parseWithheld(text: string): readonly WithheldVersion[] {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], withheldFormat);
  if (json['format'] !== withheldFormat || !Array.isArray(json['versions'])) throw new Error('format or versions is malformed');
  return json['versions'].map((row: unknown) => {
    const name = isJsonObject(row) && typeof row['name'] === 'string' ? parsePackageName(row['name']) : undefined;
    if (!isJsonObject(row) || name === undefined || typeof row['version'] !== 'string' || typeof row['version_normalized'] !== 'string' || typeof row['since'] !== 'string') throw new Error('a version is malformed');
    return { name, version: row['version'], version_normalized: row['version_normalized'] as NormalizedVersion, since: row['since'] };
  });
}
