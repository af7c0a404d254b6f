// The tombstones of purged versions, as builds go by them: neither the label of a purged release nor its bytes are ever
// published again. A list that is damaged, or that lacks what the announcement names, ends whatever wants to read it:
// what was purged would be published again.

import { digestIfAlike } from '../archive/archive-content.ts';
import { missingRows, replacedTombstones, type AnnouncedPurge } from '../contract/announced-lists.ts';
import { isAsWritten } from '../contract/checksum.ts';
import {
  formatPurged,
  lookUpPurged,
  mergePurged,
  parsePurged,
  purgedPath,
  type PurgedLookup,
  type PurgedVersion,
} from '../contract/purged.ts';
import { listShortly } from '../list-shortly.ts';
import { readAnnounced } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../parse-own-file.ts';
import { BuildRefused } from '../refusals.ts';

export interface Purged extends PurgedLookup {
  /** the list as it is to be from now on; undefined where it stays */
  readonly text: string | undefined;
  /**
   * a purge or a recovery asked for this build: what tombstones are of is looked for everywhere, also where they are
   * all known
   */
  readonly asked: boolean;
  /**
   * The tombstone of an archive with these bytes, or with these files under any label. `path`: where it is. Throws
   * Error for what is no ZIP.
   */
  readonly blocksArchive: ArchiveBlocker;
}

export type ArchiveBlocker = (path: string, sha1: string) => PurgedVersion | undefined;

export interface PurgedRequest {
  /** what the announcement names */
  readonly announced: readonly AnnouncedPurge[];
  /** rows that are added now */
  readonly more?: readonly PurgedVersion[] | undefined;
  /** of a recovery: a damaged list is replaced, and what it lost stays out by label and reference. `now`: since when */
  readonly recoverAt?: Date | undefined;
}

/** Throws BuildRefused where the list is damaged, or lacks what is announced. */
export async function readPurged(
  output: Pick<Output, 'read'>,
  { announced, more = [], recoverAt }: PurgedRequest,
): Promise<Purged> {
  const before = recoverAt === undefined ? await storedTombstones(output) : await readableTombstones(output);
  // rows of a list that was changed are worth less than those of a file
  const merged = recoverAt === undefined ? mergePurged(before, more) : mergePurged(more, before);
  const missing = missingRows(announced, merged);
  if (missing.length > 0 && recoverAt === undefined) throw refuseIncomplete(missing, before);
  const rows = recoverAt === undefined ? merged : mergePurged(merged, replacedTombstones(missing, recoverAt));
  const stays =
    recoverAt === undefined ? rows === before : formatPurged(rows) === (await output.read('index', purgedPath));
  return {
    ...lookUpPurged(rows),
    blocksArchive: archiveBlocker(rows),
    text: stays ? undefined : formatPurged(rows),
    asked: more.length > 0 || recoverAt !== undefined,
  };
}

/** Throws BuildRefused where the list is damaged, or lacks what is announced. */
export async function listPurged(output: Pick<Output, 'read'>): Promise<readonly PurgedVersion[]> {
  const rows = await storedTombstones(output);
  const missing = missingRows((await readAnnounced(output)).purged, rows);
  if (missing.length > 0) throw refuseIncomplete(missing, rows);
  return rows;
}

/** Throws BuildRefused where the list is damaged; whatever is announced. */
export async function storedTombstones(output: Pick<Output, 'read'>): Promise<readonly PurgedVersion[]> {
  const text = await output.read('index', purgedPath);
  if (text === undefined) return [];
  const rows = isAsWritten(text) ? parseOwnFile(`index/${purgedPath}`, () => parsePurged(text)) : undefined;
  if (rows === undefined)
    throw new BuildRefused(
      `index/${purgedPath} is damaged, or was changed after it was written. It lists the purged versions. ${repairPurged}`,
    );
  return rows;
}

/** Of a damaged list the rows that can be read. Throws BuildRefused for one of a newer version. */
export async function readableTombstones(output: Pick<Output, 'read'>): Promise<readonly PurgedVersion[]> {
  const text = await output.read('index', purgedPath);
  return (text === undefined ? undefined : parseOwnFile(`index/${purgedPath}`, () => parsePurged(text))) ?? [];
}

/** The way back of a list that is damaged or lost. */
export const repairPurged = `No build goes on until the list is whole: a build would publish purged versions again. Restore it from a backup, the newest, or from another copy of the tree. Or run \`libretto package purged --recover FILE\` with such a list, or with what \`libretto package purged --json\` printed here or elsewhere. Without any, \`libretto package purged --recover\` makes tombstones of what the announcement names; the audit log (\`libretto audit list\`) has the reasons.`;

/** What a list lacks, in a sentence. */
export function describeMissing(missing: readonly AnnouncedPurge[]): string {
  return `It lacks tombstones that the announcement names: ${listShortly(missing.map(({ name, version }) => `${name} ${version}`))}.`;
}

function refuseIncomplete(missing: readonly AnnouncedPurge[], rows: readonly PurgedVersion[]): BuildRefused {
  return new BuildRefused(
    `index/${purgedPath} is ${rows.length === 0 ? 'lost' : 'not the one that was published'}. ${describeMissing(missing)} ${repairPurged}`,
  );
}

export function archiveBlocker(rows: readonly PurgedVersion[]): ArchiveBlocker {
  const sha1s = new Map(rows.flatMap((row) => (row.sha1 === null ? [] : [[row.sha1, row] as const])));
  const contents = new Map(rows.flatMap((row) => (row.content === null ? [] : [[row.content.digest, row] as const])));
  const alike = rows.flatMap(({ content }) => content ?? []);
  return (path, sha1) => {
    const same = sha1s.get(sha1);
    if (same !== undefined || alike.length === 0) return same;
    const digest = digestIfAlike(path, alike);
    return digest === undefined ? undefined : contents.get(digest);
  };
}
