// Compares the versions of a document with their accepted archives. If an upstream changes a release, the mirror raises
// an alarm, and the release keeps its accepted archive and record (I18, case 77). If the archive is unchanged, only the
// fields that determine its installation keep their accepted values.

import type { PackageName } from '../../../build/contract/name.ts';
import type { AcceptedPackage } from './accepted-package.ts';
import type { ArchiveRecord } from './archive-record.ts';
import type { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import { offeredVersions, type CheckRecord, type OfferedVersion } from '../versions/offered-version.ts';
import { changedFields, pinnedFields, withPinnedFields } from '../versions/pinned-record.ts';

export interface PinnedVersions {
  readonly versions: readonly OfferedVersion[];
  /** versions that the upstream has changed since */
  readonly changed: readonly string[];
}

export interface PinOptions {
  readonly archiveStore: Pick<AcceptedArchiveStore, 'record'>;
  readonly check: CheckRecord;
  readonly report: ReportMirrorEvent;
}

export async function pinVersions(
  name: PackageName,
  versions: readonly OfferedVersion[],
  accepted: AcceptedPackage,
  { archiveStore, check, report }: PinOptions,
): Promise<PinnedVersions> {
  const changed: string[] = [];
  const settled: OfferedVersion[] = [];
  const turn = createTurns();
  for (const version of versions) {
    await turn();
    const isOther = changeOf(version, accepted) !== undefined || isRecordOther(version, accepted);
    const pinned = isOther
      ? await archiveStore.record({
          name,
          version: version.version,
          normalized: version.normalized,
          dev: version.dev,
          reference: version.dist?.reference ?? '',
        })
      : undefined;
    if (pinned === undefined) {
      settled.push(version);
      continue;
    }
    const { difference, record } = settleOne(version, accepted, pinned);
    changed.push(version.version);
    report({
      kind: 'release-changed',
      name,
      version: version.version,
      message: `${difference}. The version accepted on ${pinned.fetchedAt} from ${pinned.from} is still served`,
    });
    settled.push(...offeredVersions(name, [record], check).versions);
  }
  return { versions: settled, changed };
}

function settleOne(
  version: OfferedVersion,
  accepted: AcceptedPackage,
  kept: ArchiveRecord,
): { readonly difference: string; readonly record: ArchiveRecord['record'] } {
  const difference = changeOf(version, accepted);
  if (difference !== undefined) return { difference, record: kept.record };
  return {
    difference: `the upstream changed its ${changedFields(version.record, kept.record).join(', ')}`,
    record: withPinnedFields(version.record, kept.record),
  };
}

/** The change that the upstream made to an accepted archive, in words; undefined: none. */
export function changeOf(version: OfferedVersion, accepted: AcceptedPackage): string | undefined {
  const { dist } = version;
  const known = accepted.find(version, dist?.reference ?? '');
  if (known === undefined) return undefined;
  if (dist === undefined) return 'the upstream now gives it no archive';
  if (known.reference !== dist.reference)
    return (
      `the upstream now gives it the reference ${dist.reference || '(none)'}, and gave it ` +
      `${known.reference || '(none)'}`
    );
  if (dist.shasum !== undefined && dist.shasum !== known.shasum)
    return `the upstream now has the SHA-1 ${dist.shasum}, but the accepted archive has ${known.shasum}`;
  return undefined;
}

/** For releases only: the record of a branch may change with each commit, and references need not be commits. */
function isRecordOther(version: OfferedVersion, accepted: AcceptedPackage): boolean {
  const { dev, dist, record } = version;
  const known = dev || dist === undefined ? undefined : accepted.find(version, dist.reference);
  return known !== undefined && known.settled !== pinnedFields(record);
}
