// What is known of the versions that tokens use: published, withdrawn, purged, blocked, or with an advisory.

import { advisoriesOf } from '../../build/contract/advisory-lists.ts';
import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { isDevVersion, normalizeVersion } from '../../build/contract/version.ts';
import { publishedTombstones } from '../core/protocol/tombstones.ts';
import type { PublishedAdvisories } from '../core/tree/published-advisories.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { readPublishedPackage } from '../packages/published-package.ts';
import type { BlockedVersions } from '../policy/admin/blocked-versions.ts';
import type { VersionState } from './usage-schema.ts';

export interface VersionStateParts {
  readonly published: PublishedFiles;
  readonly advisories: PublishedAdvisories;
  /** what the policy blocks of a package at a time */
  readonly blockedVersions: BlockedVersions;
}

/** Label → state. Rejects if a file of the package is damaged. */
export async function readVersionStates(
  { published, advisories, blockedVersions }: VersionStateParts,
  name: PackageName,
  nowMs: number,
): Promise<(label: string) => VersionState> {
  const [versions, tombstones, lists, blockOf, { index }] = await Promise.all([
    readPublishedPackage(published, name),
    publishedTombstones(published),
    advisories.read(nowMs),
    blockedVersions(name, nowMs),
    published.readPackage(name),
  ]);
  const offered = new Map(versions.map((version) => [version.entry.version, version]));
  const purged = new Set(tombstones.flatMap((row) => (row.name === name ? [row.version] : [])));
  const isAdvised = advisedVersions(advisoriesOf(lists, name));
  const isPublishedHere = 'fault' in index || index.bytes !== undefined || purged.size > 0;
  return (label) => {
    const version = offered.get(label);
    if (version === undefined) return purged.has(label) ? 'purged' : isPublishedHere ? 'withdrawn' : 'mirrored';
    if (blockOf(version) !== undefined) return 'blocked';
    if (isAdvised(label)) return 'advisory';
    return isDevVersion(version.entry.version_normalized) ? 'dev' : 'supported';
  };
}

/** Whether an advisory or a filter list is about a version. A constraint that Composer refuses is about none. */
function advisedVersions({ advisories, filter }: ReturnType<typeof advisoriesOf>): (label: string) => boolean {
  const texts = [
    ...advisories.map(({ affectedVersions }) => affectedVersions),
    ...Object.values(filter).flatMap((entries) => entries.map(({ constraint }) => constraint)),
  ];
  const parsed = texts.map((text) => parseConstraint(text));
  return (label) => {
    const version = normalizeVersion(label);
    return parsed.some((one) => version !== undefined && !('refusal' in one) && matches(one.constraint, version));
  };
}
