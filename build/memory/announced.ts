// The rows that the lists of tombstones and of versions withdrawn by hand must have. The announcement names them, and
// so does the builder's manifest. If both are lost, the records of publications still name purges and withdrawals.

import type { AnnouncedLists, AnnouncedPurge } from '../contract/announced-lists.ts';
import { unknownSource, type Publication } from '../contract/publication.ts';
import { purgedKey } from '../contract/purged.ts';
import { normalizeVersion } from '../contract/version.ts';
import { withheldPath, type WithheldVersion } from '../contract/withheld.ts';
import { historyFolder, readRecord, type PublicationRecord } from '../history/record.ts';
import type { Output } from '../output/output.ts';
import type { Manifest } from './manifest.ts';

/**
 * `manifest` counts first during a publication and after an interrupted one. It also counts if the announcement is lost
 * or damaged, or names no lists.
 */
export async function announcedLists(
  output: Pick<Output, 'read' | 'list'>,
  publication: Publication | undefined,
  manifest: Manifest | undefined,
): Promise<AnnouncedLists> {
  if (publication === undefined && manifest === undefined) return recordedLists(output);
  const [first, second] = isInterrupted(manifest, publication) ? [manifest, publication] : [publication, manifest];
  return {
    purged: first?.purged ?? second?.purged ?? [],
    withheld: first?.withheld ?? second?.withheld ?? [],
  };
}

export function isInterrupted(
  manifest: Manifest | undefined,
  publication: Publication | undefined,
): manifest is Manifest {
  return manifest !== undefined && manifest.serial > (publication?.serial ?? 0);
}

/**
 * A tombstone never goes, so the records of purges always count. A withdrawn version may return, so records of
 * withdrawals count only if the list is lost.
 */
async function recordedLists(output: Pick<Output, 'read' | 'list'>): Promise<AnnouncedLists> {
  const purged = new Map<string, AnnouncedPurge>();
  const withheld = new Map<string, WithheldVersion>();
  for (const record of await recordsOnDisk(output)) {
    for (const row of changedVersions(record, 'added')) withheld.delete(keyOf(row));
    for (const { isForgotten, ...row } of changedVersions(record, 'withdrawn')) {
      if (isForgotten && record.by?.command === 'package purge') purged.set(purgedKey(row), row);
      const { reference: _reference, ...version } = row;
      if (record.by?.command === 'package withdraw')
        withheld.set(keyOf(row), { ...version, since: record.published_at });
    }
  }
  const isLost = (await output.read('index', withheldPath)) === undefined;
  return { purged: [...purged.values()], withheld: isLost ? [...withheld.values()] : [] };
}

function keyOf(row: Omit<AnnouncedPurge, 'reference'>): string {
  return purgedKey({ ...row, reference: '' });
}

/** Oldest first. */
async function recordsOnDisk(output: Pick<Output, 'read' | 'list'>): Promise<readonly PublicationRecord[]> {
  const serials = new Set((await output.list('build', historyFolder)).map((path) => Number(path.split('/')[1])));
  const records: PublicationRecord[] = [];
  for (const serial of [...serials].toSorted((one, other) => one - other)) {
    const record = await readRecord(output, serial);
    if (record !== undefined) records.push(record);
  }
  return records;
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
