// Reads from the history why versions of a package were withdrawn: the newest publication that withdrew a content tells.

import type { PackageName } from '../contract/name.ts';
import type { WithdrawalCause, WithdrawalReason } from '../contract/withdrawal-cause.ts';
import { readRecord, type PublicationRecord } from '../history/record.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication, type Publication } from '../contract/publication.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

/** A content that is not published any more. */
export interface WithdrawnContent {
  readonly version: string;
  readonly reference: string;
  /** RFC 3339 */
  readonly since: string;
}

/** A publication announces its time, and its versions have theirs: they differ by less. */
const toleranceMs = 3_600_000;

/**
 * The cause of each content, by `contentKey`. A content whose withdrawal is not recorded any more has none. Throws
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
  const { serial, sources } = await readAnnouncement(output);
  const present = new Set(sources.map(({ id }) => id));
  let next = serial;
  while (next > 0 && open.size > 0) {
    const record = await readRecord(output, next);
    if (record === undefined || Date.parse(record.published_at) < Math.min(...open.values()) - toleranceMs) break;
    for (const line of record.packages.find((change) => change.name === name)?.withdrawn ?? [])
      if (open.delete(contentKey(line))) causes.set(contentKey(line), causeOf(record, line.source, present));
    next = record.previous;
  }
  return causes;
}

/** A lost announcement knows nothing. */
async function readAnnouncement(output: Pick<Output, 'read'>): Promise<Pick<Publication, 'serial' | 'sources'>> {
  const text = await output.read('index', publicationPath);
  const found = text === undefined ? undefined : parseOwnFile(`index/${publicationPath}`, () => parsePublication(text));
  return found ?? { serial: 0, sources: [] };
}

/** Tells the contents of one package apart. */
export function contentKey({ version, reference }: Pick<WithdrawnContent, 'version' | 'reference'>): string {
  return `${version} ${reference}`;
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
