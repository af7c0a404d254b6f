// The tombstones of purged versions, as builds go by them: neither the label of a purged release nor its bytes are ever published again.

import { digestIfAlike } from '../archive/archive-content.ts';
import { formatPurged, lookUpPurged, mergePurged, parsePurged, purgedPath, type PurgedLookup, type PurgedVersion } from '../contract/purged.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../parse-own-file.ts';
import { BuildRefused } from '../refusals.ts';

export interface Purged extends PurgedLookup {
  /** the list as it is to be from now on; undefined where it stays */
  readonly text: string | undefined;
  /** a purge asked for this build: what tombstones are of is looked for everywhere, also where they are all known */
  readonly asked: boolean;
  /** The tombstone of an archive with these bytes, or with these files under any label. `path`: where it is. Throws Error for what is no ZIP. */
  readonly blocksArchive: (path: string, sha1: string) => PurgedVersion | undefined;
}

/** `more`: rows that are added now. Throws BuildRefused where the list is damaged: without it what was purged would be published again. */
export async function readPurged(output: Pick<Output, 'read'>, more: readonly PurgedVersion[] = []): Promise<Purged> {
  const before = await listPurged(output);
  const rows = mergePurged(before, more);
  return { ...lookUpPurged(rows), blocksArchive: archiveBlocker(rows), text: rows === before ? undefined : formatPurged(rows), asked: more.length > 0 };
}

/** Throws BuildRefused where the list is damaged. */
export async function listPurged(output: Pick<Output, 'read'>): Promise<readonly PurgedVersion[]> {
  const text = await output.read('index', purgedPath);
  const rows = text === undefined ? [] : parseOwnFile(`index/${purgedPath}`, () => parsePurged(text));
  if (rows !== undefined) return rows;
  throw new BuildRefused(`index/${purgedPath} is damaged: it lists the versions that were purged, which must not be published again. Restore it from a backup.`);
}

function archiveBlocker(rows: readonly PurgedVersion[]): Purged['blocksArchive'] {
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
