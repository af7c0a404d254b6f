// Reads from the history why versions of a package were withdrawn: the newest publication that withdrew a content
// tells.

import type { PackageName } from '../contract/name.ts';
import { contentKey, type WithdrawalCause, type WithdrawalReason } from '../contract/withdrawal-cause.ts';
import { readPublicationRecord, type PublicationRecord } from '../history/record.ts';
import { readPublication } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';

/** A content that is not published any more. */
export interface WithdrawnContent {
  readonly version: string;
  readonly reference: string;
  /** RFC 3339 */
  readonly since: string;
}

/** A publication announces its time, and its versions have theirs: they differ by less. */
const toleranceMs = 3_600_000;
/** A page must not read the history of years: each publication is a file. */
const mostRecords = 1000;

/**
 * The cause of each content, by `contentKey`. A content whose withdrawal is not recorded any more, or longer ago than
 * `mostRecords` publications, has none. Throws
 * BuildRefused for a tree of a newer Libretto.
 */
export async function readWithdrawalCauses(
  dataDirectory: string,
  name: PackageName,
  contents: readonly WithdrawnContent[],
): Promise<ReadonlyMap<string, WithdrawalCause>> {
  const causes = new Map<string, WithdrawalCause>();
  const open = new Map(contents.map((content) => [contentKey(content), Date.parse(content.since)]));
  if (open.size === 0) return causes;
  const output = createDiskOutput(dataDirectory);
  const { serial = 0, sources = [] } = (await readPublication(output)) ?? {};
  const present = new Set(sources.map(({ id }) => id));
  let next = serial;
  for (let read = 0; read < mostRecords && next > 0 && open.size > 0; read += 1) {
    const record = await readPublicationRecord(output, next);
    if (record === undefined || Date.parse(record.published_at) < Math.min(...open.values()) - toleranceMs) break;
    for (const line of record.packages.find((change) => change.name === name)?.withdrawn ?? [])
      if (open.delete(contentKey(line))) causes.set(contentKey(line), causeOf(record, line.source, present));
    next = record.previous;
  }
  return causes;
}

function causeOf(record: PublicationRecord, source: string, present: ReadonlySet<string>): WithdrawalCause {
  const { serial, rollback_to: to, sources } = record;
  return { reason: reasonOf(record, present.has(source)), serial, rollback_to: to, source: sources[source] };
}

const reasonsOfCommands: Readonly<Record<string, WithdrawalReason>> = {
  'package withdraw': 'person',
  publish: 'upload',
  'repository withdraw': 'removed',
};

function reasonOf({ rollback_to: to, by }: PublicationRecord, isPresent: boolean): WithdrawalReason {
  if (to !== null) return 'rollback';
  return reasonsOfCommands[by?.command ?? ''] ?? (isPresent ? 'source' : 'removed');
}
