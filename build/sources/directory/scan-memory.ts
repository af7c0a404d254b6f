// The memory of a directory source: the stamp and the parsed record of each package folder, in one row of some 250
// bytes.

import { createHash } from 'node:crypto';
import { parseReference, type Reference } from '../../contract/digest.ts';
import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { parsePackageName, type PackageName } from '../../contract/name.ts';
import { parseDistLabel, type DistLabel } from '../../contract/paths.ts';
import { normalizeVersion, type NormalizedVersion } from '../../contract/version.ts';
import type { Quarantine } from '../../contract/quarantine.ts';
import type { SourceMemory } from '../release.ts';

/** Raise it whenever the same files could now be read as something else: version rules, file selection, reference. */
const recipe = 2;

export interface KnownRelease {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
  readonly reference: Reference;
  /** hex SHA-256 of composer.json */
  readonly composerHash: string;
  /** `time` of composer.json, RFC 3339; undefined if absent */
  readonly time: string | undefined;
}

export interface KnownPackage {
  /** digest of the folder's stamps; '' if the folder must be read again in any case */
  readonly digest: string;
  /** the release of the last successful read, even if a later state was refused */
  readonly release: KnownRelease;
}

/** folder relative to the root → package */
export type KnownPackages = ReadonlyMap<string, KnownPackage>;

/**
 * The fingerprint of a scan with quarantines differs from every scan without: after the repair the source is not
 * `unchanged`.
 */
export function formatMemory(packages: KnownPackages, quarantined: readonly Quarantine[]): SourceMemory {
  const rows: [string, JsonValue][] = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, { digest, release }]) => [
      folder,
      [
        digest,
        release.name,
        release.version,
        release.reference,
        release.composerHash,
        ...(release.time === undefined ? [] : [release.time]),
      ],
    ]);
  const detail = { recipe, packages: Object.fromEntries(rows) };
  return {
    fingerprint: createHash('sha256')
      .update(JSON.stringify([recipe, rows, quarantined.map(({ code, where }) => [code, where])]))
      .digest('hex'),
    detail,
  };
}

/** Returns an empty map for a memory of another version of Libretto, so that everything is read again. */
export function parseMemory(detail: JsonValue | undefined): KnownPackages {
  if (!isJsonObject(detail) || detail['recipe'] !== recipe || !isJsonObject(detail['packages'])) return new Map();
  const packages = new Map<string, KnownPackage>();
  for (const [folder, row] of Object.entries(detail['packages'])) {
    const known = parseRow(row);
    if (known !== undefined) packages.set(folder, known);
  }
  return packages;
}

function parseRow(row: JsonValue | undefined): KnownPackage | undefined {
  if (!Array.isArray(row) || !row.every((cell) => typeof cell === 'string')) return undefined;
  const [digest = '', nameText = '', version = '', referenceText = '', composerHash = '', time] =
    row as readonly string[];
  const [name, label, normalized, reference] = [
    parsePackageName(nameText),
    parseDistLabel(version),
    normalizeVersion(version),
    parseReference(referenceText),
  ];
  if (name === undefined || 'refusal' in label || normalized === undefined || reference === undefined) return undefined;
  return { digest, release: { name, version: label.label, normalized, reference, composerHash, time } };
}
