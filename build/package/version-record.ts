// The record of a version in documents, and its fields in the index entry.

import { branchOfLabel } from '../documents/branch-order.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { distOf } from '../documents/documents.ts';
import { checkRecord } from '../record/check-record.ts';
import { versionRecord } from '../record/version-record.ts';
import type { Release } from '../sources/release.ts';
import type { PackageContext } from './package-context.ts';

/** The record with the dist of `entry`. Throws QuarantineError for a record that no client can load. */
export async function recordOf(
  name: PackageName,
  release: Release,
  entry: IndexEntry,
  context: PackageContext,
): Promise<VersionRecord> {
  const { version, normalized, reference, time, defaultBranch, sourceUrl } = release;
  const { settings } = context;
  const record = versionRecord({
    composerJson: await release.composerJson(),
    name,
    version,
    normalized,
    reference,
    time,
    defaultBranch,
    dist: distOf(name, entry, settings),
    sourceUrl,
    abandoned: settings.abandoned?.[name],
  });
  checkRecord(name, record);
  return record;
}

/** Present time, branch and signer of the source's version. */
export function sourceFacts({
  version,
  time,
  branch,
  signedBy,
}: Release): Pick<IndexEntry, 'time' | 'branch' | 'signed_by'> {
  return {
    time: time ?? null,
    ...(branch === undefined || branch === branchOfLabel(version) ? {} : { branch }),
    ...(signedBy === undefined ? {} : { signed_by: signedBy }),
  };
}
