// Lists the purged releases that sources still contain and a build therefore left out. The list has the releases that
// this build read, and the remembered releases of sources that this build did not read. Pure.

import type { PackageName } from '../contract/name.ts';
import { purgedKey, type PurgedVersion } from '../contract/purged.ts';
import type { PackageResult } from './package-stage.ts';
import { isRead, type ScannedSource } from '../scan/scan.ts';

export interface BlockedFinding {
  /** id of the source */
  readonly source: string;
  readonly name: PackageName;
  readonly version: string;
  /** for people */
  readonly where: string;
  readonly tombstone: PurgedVersion;
}

export function blockedFindings(
  scanned: readonly ScannedSource[],
  results: readonly Pick<PackageResult, 'name' | 'blocked'>[],
  rows: readonly PurgedVersion[],
): readonly BlockedFinding[] {
  if (rows.length === 0) return [];
  const tombstones = new Map(rows.map((row) => [purgedKey(row), row]));
  const visited = new Set(results.map(({ name }) => name));
  const met = results.flatMap(({ name, blocked }) => blocked.map((release) => ({ name, ...release })));
  const remembered = scanned.flatMap((source) => {
    const known = (source.remembered?.blocked ?? []).filter(({ name }) => !isRead(source) || !visited.has(name));
    return known.flatMap(({ tombstone: key, ...block }) => {
      const tombstone = tombstones.get(key);
      return tombstone === undefined ? [] : [{ ...block, source: source.chosen.spec.id, tombstone }];
    });
  });
  return [...met, ...remembered];
}

/** A line of the report. */
export function blockedNotice({ name, version, where, tombstone }: BlockedFinding): string {
  const same =
    tombstone.name === name && tombstone.version === version
      ? 'This version was'
      : `Its content is that of ${tombstone.name} ${tombstone.version}, which was`;
  return (
    `${name} ${version} (${where}) is not published. ${same} purged on ${tombstone.since.slice(0, 10)} ` +
    `(${tombstone.reason}). Remove it from the source, and publish a new version.`
  );
}
