// The rows that the lists of tombstones and of versions withdrawn by hand must have. The announcement names them, and
// so does the builder's manifest. If both are lost, the records of publications still name purges and withdrawals. If
// both come from an older backup, the newer records count too.

import type { AnnouncedLists, AnnouncedPurge } from '../contract/announced-lists.ts';
import { unknownSource, type Publication } from '../contract/publication.ts';
import { purgedKey } from '../contract/purged.ts';
import { normalizeVersion } from '../contract/version.ts';
import type { WithheldVersion } from '../contract/withheld.ts';
import { recordsOnDisk } from '../history/read-history.ts';
import type { PublicationRecord } from '../history/record.ts';
import type { Output } from '../output/output.ts';
import type { Manifest } from './manifest.ts';

/**
 * `manifest` counts first during a publication and after an interrupted one. It also counts if the announcement is lost
 * or damaged, or names no lists. `recorded` is the result of `recordedSerials`.
 */
export async function announcedLists(
  output: Pick<Output, 'read' | 'list'>,
  publication: Publication | undefined,
  manifest: Manifest | undefined,
  recorded: readonly number[],
): Promise<AnnouncedLists> {
  if (publication === undefined && manifest === undefined) return recordedLists(await recordsOnDisk(output));
  const [first, second] = isInterrupted(manifest, publication) ? [manifest, publication] : [publication, manifest];
  const purged = first?.purged ?? second?.purged ?? [];
  const withheld = first?.withheld ?? second?.withheld ?? [];
  const serial = newestSerial(manifest, publication);
  if (newerRecord(serial, recorded) === undefined) return { purged, withheld };
  const newer = recordedLists((await recordsOnDisk(output)).filter((record) => record.serial > serial));
  return {
    purged: distinct([...purged, ...newer.purged], purgedKey),
    withheld: distinct([...withheld, ...newer.withheld], keyOf),
  };
}

/**
 * The last publication in history, if it is later than `serial`, the serial of announcement and manifest: both come
 * from an older copy. A publication writes its serial into the manifest before its record. undefined: they are current,
 * or both are lost (`serial` is 0).
 */
export function newerRecord(serial: number, recorded: readonly number[]): number | undefined {
  const newest = Math.max(0, ...recorded);
  return serial > 0 && newest > serial ? newest : undefined;
}

export function newestSerial(manifest: Manifest | undefined, publication: Publication | undefined): number {
  return Math.max(manifest?.serial ?? 0, publication?.serial ?? 0);
}

function distinct<Row>(rows: readonly Row[], key: (row: Row) => string): readonly Row[] {
  return [...new Map(rows.map((row) => [key(row), row])).values()];
}

export function isInterrupted(
  manifest: Manifest | undefined,
  publication: Publication | undefined,
): manifest is Manifest {
  return manifest !== undefined && manifest.serial > (publication?.serial ?? 0);
}

/** The rows of the purges and withdrawals in `records`, oldest first. A withdrawn version that returned has no row. */
function recordedLists(records: readonly PublicationRecord[]): AnnouncedLists {
  const purged = new Map<string, AnnouncedPurge>();
  const withheld = new Map<string, WithheldVersion>();
  for (const record of records) {
    for (const row of changedVersions(record, 'added')) withheld.delete(keyOf(row));
    for (const { isForgotten, ...row } of changedVersions(record, 'withdrawn')) {
      if (isForgotten && record.by?.command === 'package purge') purged.set(purgedKey(row), row);
      const { reference: _reference, ...version } = row;
      if (record.by?.command === 'package withdraw')
        withheld.set(keyOf(row), { ...version, since: record.published_at });
    }
  }
  return { purged: [...purged.values()], withheld: [...withheld.values()] };
}

function keyOf(row: Pick<AnnouncedPurge, 'name' | 'version' | 'version_normalized'>): string {
  return purgedKey({ ...row, reference: '' });
}

interface RecordedRow extends AnnouncedPurge {
  /** the serving index no longer had the version: a purge drops it there, and a withdrawal keeps it */
  readonly isForgotten: boolean;
}

function changedVersions({ packages }: PublicationRecord, how: 'added' | 'withdrawn'): readonly RecordedRow[] {
  return packages.flatMap((change) =>
    change[how].flatMap(({ version, reference, source }) => {
      const normalized = normalizeVersion(version);
      const row = { name: change.name, version, reference: String(reference), isForgotten: source === unknownSource };
      return normalized === undefined ? [] : [{ ...row, version_normalized: normalized }];
    }),
  );
}
