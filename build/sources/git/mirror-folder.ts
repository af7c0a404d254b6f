// The folder of one remote repository below build/git. It has the copies, the lock of the running fetch, and the
// snapshot with the current copy and its refs. A fetch only adds to a copy, and writes the snapshot last. Copies are
// removed only under the build's lock, which every reader of a copy holds: no reader loses an object.

import { randomUUID, createHash } from 'node:crypto';
import { readFileSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { holderOf, takeLock, type LockOptions } from '../../output/lock.ts';
import { isMissing } from '../../output/storage-error.ts';
import { syncPath } from '../../output/sync-path.ts';
import { BuildBusy } from '../../contract/refusals.ts';
import { isObjectId, sortRefs, type Head, type Ref, type Refs } from './refs.ts';

/** The refs of a remote at the end of a fetch, and the copy that has their objects. */
export interface MirrorSnapshot {
  /** absolute path of the copy, a bare repository */
  readonly copy: string;
  readonly refs: Refs;
}

const snapshotFile = 'snapshot.json';
const snapshotFormat = 1;
const copyPattern = /^[0-9a-f]{32}\.git$/;

/** `root`: build/git. */
export function gitMirrorFolder(root: string, url: string): string {
  return join(root, mirrorName(url));
}

/** The lock for a fetch. If another process holds it, the error is a BuildBusy with the name of the process. */
export const mirrorLock: LockOptions = {
  heartbeatMs: 10_000,
  staleAfterMs: 60_000,
  busy: (path, owner) => {
    const who = holderOf(owner);
    const text = `${path}: another process fetches this repository: ${who}. Wait until it has ended and try again.`;
    return new BuildBusy(text, who);
  },
};

export function mirrorLockPath(folder: string): string {
  return join(folder, 'lock');
}

export function snapshotPath(folder: string): string {
  return join(folder, snapshotFile);
}

/** The path of a copy that does not exist yet. */
export function newCopyPath(folder: string): string {
  return join(folder, `${randomUUID().replaceAll('-', '')}.git`);
}

/**
 * The snapshot of the last completed fetch; undefined if there is none, or the file is damaged: the next fetch then
 * makes a new copy.
 */
export function readSnapshot(folder: string): MirrorSnapshot | undefined {
  try {
    return parseSnapshot(folder, JSON.parse(readFileSync(snapshotPath(folder), 'utf8')));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the snapshot as a whole. */
export function writeSnapshot(folder: string, { copy, refs }: MirrorSnapshot): void {
  const row = ({ name, oid, peeled }: Ref): JsonValue => [name, oid, peeled ?? null];
  const json = {
    format: snapshotFormat,
    copy: copy.slice(folder.length + 1),
    head: refs.head,
    tags: refs.tags.map(row),
    branches: refs.branches.map(row),
  };
  const next = join(folder, `${snapshotFile}.${randomUUID()}`);
  try {
    writeFileSync(next, JSON.stringify(json), { mode: 0o600 });
    renameSync(next, snapshotPath(folder));
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** The next fetch makes a new copy instead of adding to this one. */
export function discardCopy(folder: string, copy: string): void {
  if (readSnapshot(folder)?.copy === copy) rmSync(snapshotPath(folder), { force: true });
}

/**
 * Removes the remains of killed fetches, and copies that newer ones have replaced; with `all`, everything. Call it
 * under the build's lock. A folder with a running fetch stays until the next sweep.
 */
export async function sweepMirror(folder: string, now: () => Date, all = false): Promise<void> {
  const current = all ? undefined : readSnapshot(folder)?.copy;
  const isLeft = (name: string): boolean =>
    name !== 'lock' && !name.startsWith('lock.') && (all || name !== snapshotFile) && join(folder, name) !== current;
  if (!namesIn(folder).some(isLeft) && !all) return;
  const lock = await takeLock(mirrorLockPath(folder), now, mirrorLock).catch((error: unknown) =>
    error instanceof BuildBusy ? undefined : Promise.reject(error),
  );
  if (lock === undefined) return;
  try {
    for (const name of namesIn(folder).filter(isLeft))
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    // the removal of a purge survives a loss of power
    if (all) await syncPath(folder);
  } finally {
    await lock.release();
  }
  if (all) removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // another process has started to fetch into this folder
    if (
      !(
        error instanceof Error &&
        'code' in error &&
        (error.code === 'ENOTEMPTY' || error.code === 'EEXIST' || error.code === 'ENOENT')
      )
    )
      throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function parseSnapshot(folder: string, json: unknown): MirrorSnapshot | undefined {
  if (!isJsonObject(json) || json['format'] !== snapshotFormat) return undefined;
  const head = parseHead(json['head']);
  const copy = json['copy'];
  const [tags, branches] = [parseRows('refs/tags/', json['tags']), parseRows('refs/heads/', json['branches'])];
  if (
    head === undefined ||
    tags === undefined ||
    branches === undefined ||
    typeof copy !== 'string' ||
    !copyPattern.test(copy)
  )
    return undefined;
  return { copy: join(folder, copy), refs: sortRefs(head, [...tags, ...branches]) };
}

function parseHead(json: JsonValue | undefined): Head | undefined {
  if (!isJsonObject(json)) return undefined;
  const { branch, commit } = json;
  if (typeof branch === 'string') return { branch };
  if (typeof commit === 'string') return { commit };
  return { unknown: true };
}

type Row = readonly [fullName: string, oid: string, peeled: string | undefined];

function parseRows(prefix: string, json: JsonValue | undefined): readonly Row[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const rows: Row[] = [];
  for (const row of json as readonly JsonValue[]) {
    const [name, oid, peeled] = Array.isArray(row) ? (row as readonly JsonValue[]) : [];
    if (typeof name !== 'string' || typeof oid !== 'string' || !isObjectId(oid)) return undefined;
    rows.push([`${prefix}${name}`, oid, typeof peeled === 'string' ? peeled : undefined]);
  }
  return rows;
}

/** The folder name of the local copy of a remote repository: a stable digest that reveals no part of the URL. */
export function mirrorName(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`;
}
