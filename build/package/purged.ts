// The tombstones of purged versions in a build: neither the label of a purged release nor its bytes are ever published
// again. A damaged or incomplete list ends every operation that reads it: otherwise purged contents would be published
// again.

import type { PurgedRecovery } from '../scan/build-request.ts';
import { missingRows, replacedTombstones, type AnnouncedPurge } from '../contract/announced-lists.ts';
import { isAsWritten } from '../contract/checksum.ts';
import {
  formatPurged,
  lookUpPurged,
  mergePurged,
  parsePurged,
  purgedKey,
  purgedPath,
  type PurgedLookup,
  type PurgedVersion,
} from '../contract/purged.ts';
import { listShortly } from '../shared/text/list-shortly.ts';
import { readAnnounced } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { ListDamaged, noneIfDamaged } from '../contract/refusals.ts';

export interface Purged extends PurgedLookup {
  /** the next text of the list; undefined if the list is unchanged */
  readonly text: string | undefined;
  /**
   * a purge or a recovery requested this build: it searches all places for purged contents, even if the list has all
   * rows already
   */
  readonly asked: boolean;
  /** rows that the list lacks: the announcement has their label and reference, but the digests are lost */
  readonly lost: boolean;
  /**
   * The tombstone of an archive with these bytes, or with these files under any label. `path`: its place. Throws Error
   * for a file that is no ZIP.
   */
  readonly blocksArchive: ArchiveBlocker;
}

export type ArchiveBlocker = (path: string, sha1: string) => PurgedVersion | undefined;

export interface PurgedRequest {
  /** the announced rows */
  readonly announced: readonly AnnouncedPurge[];
  /** rows that are added now */
  readonly more?: readonly PurgedVersion[] | undefined;
  /** for a recovery: a damaged list is replaced, and its lost versions stay out by label and reference */
  readonly recovery?: PurgedRecovery | undefined;
  /** the date that announced rows get if the list is damaged or lost; the list itself is unchanged */
  readonly mayBeLostAt?: Date | undefined;
}

/** Throws BuildRefused if the list is damaged or lacks announced rows, unless the request allows it. */
export async function readPurged(
  output: Pick<Output, 'read'>,
  { announced, more = [], recovery, mayBeLostAt }: PurgedRequest,
): Promise<Purged> {
  const before = await rowsBefore(output, recovery, mayBeLostAt !== undefined);
  // rows of a list that was changed are worth less than those of a file
  const merged = recovery === undefined ? mergePurged(before, more) : mergePurged(more, before);
  const missing = missingRows(announced, merged);
  const since = recovery?.since ?? mayBeLostAt;
  if (missing.length > 0 && since === undefined) throw refuseIncomplete(missing, before);
  const rows = since === undefined ? merged : mergePurged(merged, replacedTombstones(missing, since));
  const stays =
    recovery === undefined ? merged === before : formatPurged(rows) === (await output.read('index', purgedPath));
  return {
    ...lookUpPurged(rows),
    blocksArchive: await archiveBlocker(rows),
    text: stays ? undefined : formatPurged(rows),
    asked: more.length > 0 || recovery !== undefined,
    lost: missing.length > 0 && recovery === undefined,
  };
}

async function rowsBefore(
  output: Pick<Output, 'read'>,
  recovery: PurgedRecovery | undefined,
  mayBeLost: boolean,
): Promise<readonly PurgedVersion[]> {
  if (recovery !== undefined) return (await recoverableTombstones(output, recovery.confirmed)).rows;
  return mayBeLost ? noneIfDamaged(storedTombstones(output)) : storedTombstones(output);
}

/** Throws BuildRefused if the list is damaged or lacks announced rows. */
export async function listPurged(output: Pick<Output, 'read' | 'list'>): Promise<readonly PurgedVersion[]> {
  const rows = await storedTombstones(output);
  const missing = missingRows((await readAnnounced(output)).purged, rows);
  if (missing.length > 0) throw refuseIncomplete(missing, rows);
  return rows;
}

/** Throws BuildRefused if the list is damaged; announced rows are not compared. */
export async function storedTombstones(output: Pick<Output, 'read'>): Promise<readonly PurgedVersion[]> {
  const text = await output.read('index', purgedPath);
  if (text === undefined) return [];
  // a list of a newer version is refused as such, whatever its checksum covers
  const rows = parseOwnFile(`index/${purgedPath}`, () => parsePurged(text));
  if (rows === undefined || !isAsWritten(text))
    throw new ListDamaged(
      purgedPath,
      `index/${purgedPath} is damaged, or was changed after it was written. It lists the purged versions. ` +
        `${repairPurged}`,
    );
  return rows;
}

export interface RecoverableTombstones {
  readonly rows: readonly PurgedVersion[];
  /** rows of an edited list that no other record confirms */
  readonly dropped: readonly PurgedVersion[];
  /** the list was changed after it was written */
  readonly edited: boolean;
}

/**
 * The usable rows of a list: all rows of an unchanged list, and the confirmed rows of an edited one. A false row would
 * purge a version by mistake. Throws BuildRefused for a list of a newer version.
 */
export async function recoverableTombstones(
  output: Pick<Output, 'read'>,
  confirmed: ReadonlySet<string>,
): Promise<RecoverableTombstones> {
  const text = await output.read('index', purgedPath);
  const all = (text === undefined ? undefined : parseOwnFile(`index/${purgedPath}`, () => parsePurged(text))) ?? [];
  if (text === undefined || isAsWritten(text)) return { rows: all, dropped: [], edited: false };
  const rows = all.filter((row) => confirmed.has(purgedKey(row)));
  return { rows, dropped: all.filter((row) => !confirmed.has(purgedKey(row))), edited: true };
}

/** The remedy for a damaged or lost list. */
export const repairPurged =
  'Builds are blocked until the list is restored: a build would publish purged versions again. Restore it from ' +
  `the newest backup, or from another copy of the tree. Or run \`libretto package recover-purged FILE\` with ` +
  `such a list, or with what \`package list --purged --json\` printed here or elsewhere. Without any, ` +
  `\`libretto package recover-purged\` makes tombstones of what the announcement names; the audit log ` +
  `(\`libretto audit list\`) has the reasons.`;

/** The missing rows of a list, in a sentence. */
export function describeMissing(missing: readonly AnnouncedPurge[]): string {
  return (
    'It lacks tombstones that the announcement names: ' +
    `${listShortly(missing.map(({ name, version }) => `${name} ${version}`))}.`
  );
}

function refuseIncomplete(missing: readonly AnnouncedPurge[], rows: readonly PurgedVersion[]): ListDamaged {
  return new ListDamaged(
    purgedPath,
    `index/${purgedPath} is ${rows.length === 0 ? 'lost' : 'not the one that was published'}. ` +
      `${describeMissing(missing)} ${repairPurged}`,
  );
}

/** Archives are read only if a tombstone names their files: most registries have none, and load no reader of ZIPs. */
export async function archiveBlocker(rows: readonly PurgedVersion[]): Promise<ArchiveBlocker> {
  const sha1s = new Map(rows.flatMap((row) => (row.sha1 === null ? [] : [[row.sha1, row] as const])));
  const contents = new Map(rows.flatMap((row) => (row.content === null ? [] : [[row.content.digest, row] as const])));
  if (contents.size === 0) return (_, sha1) => sha1s.get(sha1);
  const alike = rows.flatMap(({ content }) => content ?? []);
  const { digestIfAlike } = await import('../archive/archive-content.ts');
  return (path, sha1) => {
    const same = sha1s.get(sha1);
    if (same !== undefined) return same;
    const digest = digestIfAlike(path, alike);
    return digest === undefined ? undefined : contents.get(digest);
  };
}
