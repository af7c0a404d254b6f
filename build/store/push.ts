// Publishes the changes of a working copy at its store: archives, documents, the parts of the listing, and then the
// head by compare-and-swap. Until the head changes, no reader sees any of it (I27). Objects never change, so that a repeated
// upload after a kill finds them there.

import { readFileSync } from 'node:fs';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import {
  archiveKey,
  documentKey,
  kindOf,
  objectKeyOf,
  partOf,
  type ListedFile,
  type ListedPath,
  type ObjectDigest,
} from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import type { ObjectBody, ObjectKey, PutHeaders } from './object-store.ts';
import { readProjection, unlessGone } from './projection-lease.ts';
import { writeHead } from './store-head.ts';
import { StoredListing, type ListingChanges, type NextListing } from '../listing/stored-listing.ts';
import { type StoreBase, type WorkingCopy, isUnchanged } from './working-copy.ts';
import { digestsOf, listLocalFiles, type LocalFile } from './local-files.ts';
import { changedArchives } from '../listing/working-copy-files.ts';

/** `lost`: another builder has published first; nothing of this one is visible. `sent`: its archives at the store. */
export type PushOutcome =
  | { readonly outcome: 'lost'; readonly sent: readonly ObjectKey[] }
  | { readonly outcome: 'unchanged'; readonly base: StoreBase }
  | { readonly outcome: 'published'; readonly base: StoreBase };

const uploadsAtOnce = 16;

export async function push(copy: WorkingCopy, base: StoreBase, now: () => Date): Promise<PushOutcome> {
  const found = await findChanges(copy, base).catch(async (error: unknown) => {
    // another builder may have replaced the bytes of an archive since
    if ((await copy.current()).current?.etag === base.current?.etag) throw error;
    return undefined;
  });
  if (found === undefined) return { outcome: 'lost', sent: [] };
  if (found.files.size + found.aliases.size + found.removed.length === 0) return { outcome: 'unchanged', base };
  const archives = await uploadArchives(copy, base, found);
  const documents = [...found.files].filter(([path]) => kindOf(path) === 'documents');
  await runBatch(documents, uploadsAtOnce, ([path, file]) =>
    putDocument(copy, file.sha256, { file: copy.at(path), ...file }, path),
  );
  const changes: ListingChanges = new Map([
    ...found.removed.map((path) => [path, null] as const),
    ...documents,
    ...archives,
    ...found.aliases,
  ]);
  const next = await base.listing.next(changes);
  await uploadListing(copy, next);
  const current = await writeHead(copy, base.current, { serial: serialOf(copy), listing: next.listing }, now);
  if (current === undefined)
    return { outcome: 'lost', sent: [...archives].map(([path, file]) => objectKeyOf(path, file)) };
  const listing = await StoredListing.open(next.listing, copy.readObject);
  return { outcome: 'published', base: { current, listing } };
}

/** Archives with the same bytes share an object: the newest content of a dev version has a second path. */
async function uploadArchives(
  copy: WorkingCopy,
  base: StoreBase,
  { files }: LocalChanges,
): Promise<ReadonlyMap<ListedPath, ListedFile>> {
  const archives = [...files].filter(([path]) => kindOf(path) === 'archives');
  if (archives.length === 0) return new Map();
  const leaving = await unlessGone(
    () => leavingPaths(copy, base),
    async () => new Set<ListedPath>(),
  );
  const place = async ([path, file]: readonly [ListedPath, ListedFile]): Promise<[ListedPath, ListedFile]> => {
    const body = { file: copy.at(path), ...file };
    if (!leaving.has(path)) {
      if ((await copy.store.put(path, body, archiveHeaders, 'absent')).outcome === 'written') return [path, file];
      if ((await copy.store.head(path))?.sha256 === file.sha256) return [path, file];
    }
    const key = archiveKey(file.sha256);
    await copy.store.put(key, body, archiveHeaders);
    return [path, { ...file, key }];
  };
  const pinned = await runBatch(
    archives.filter(([path]) => isPinned(path)),
    uploadsAtOnce,
    place,
  );
  const keys = new Map(pinned.map(([path, file]) => [file.sha256, objectKeyOf(path, file)]));
  const others = await runBatch(
    archives.filter(([path]) => !isPinned(path)),
    uploadsAtOnce,
    async ([path, file]): Promise<[ListedPath, ListedFile]> => {
      const key = keys.get(file.sha256) ?? (await findPinned(base.listing, path, file));
      return key === undefined ? place([path, file]) : [path, { ...file, key }];
    },
  );
  return new Map([...pinned, ...others]);
}

/** Archives of former publications that a projection has yet to remove from their own paths. */
async function leavingPaths(copy: WorkingCopy, { current, listing }: StoreBase): Promise<ReadonlySet<ListedPath>> {
  const { listing: projected = null, begun = [] } = (await readProjection(copy)) ?? {};
  const leaving = new Set<ListedPath>();
  for (const digest of [...(projected === null ? [] : [projected]), ...begun]) {
    if (digest === current?.head.listing) continue;
    const former = await StoredListing.open(digest, copy.readObject);
    for (const [path, file] of await former.differences(listing, 'archives')) if (file === null) leaving.add(path);
  }
  return leaving;
}

/** A published path with the same bytes that never gets other ones: `dev-main@<reference>.zip` of `dev-main.zip`. */
async function findPinned(
  listing: StoredListing,
  path: ListedPath,
  { sha256 }: ListedFile,
): Promise<ListedPath | undefined> {
  const start = `${path.slice(0, -'.zip'.length)}@`;
  const part = listing.root.archives.parts[partOf(path, listing.root.archives.parts.length)] ?? null;
  for (const [other, file] of await listing.part(part))
    if (other.startsWith(start) && isPinned(other) && file.sha256 === sha256 && file.key === undefined) return other;
  return undefined;
}

function isPinned(path: ListedPath): boolean {
  return /@[0-9a-f]{40}(?:[0-9a-f]{24})?\.zip$/.test(path);
}

async function uploadListing(copy: WorkingCopy, { objects }: NextListing): Promise<void> {
  await runBatch(objects, uploadsAtOnce, async ({ sha256, text }) => {
    await copy.keepObject(sha256, text);
    await putDocument(copy, sha256, { bytes: Buffer.from(text), sha256 }, 'listing.json');
  });
}

function serialOf(copy: WorkingCopy): number {
  try {
    return parsePublication(readFileSync(copy.at(`index/${publicationPath}`), 'utf8')).serial;
  } catch {
    return 0; // nothing was published yet, or its announcement is damaged, which builds repair
  }
}

async function putDocument(copy: WorkingCopy, sha256: ObjectDigest, body: ObjectBody, path: ListedPath): Promise<void> {
  // without a condition: an object that is damaged becomes whole
  await copy.store.put(documentKey(sha256), body, headersOf(path));
}

const archiveHeaders: PutHeaders = {
  contentType: 'application/zip',
  cacheControl: 'private, max-age=31536000, immutable',
};

function headersOf(path: ListedPath): PutHeaders {
  const contentType = path.endsWith('.json') ? 'application/json' : 'application/octet-stream';
  return { contentType, cacheControl: 'private, no-cache' };
}

/** What a working copy changed since it was made. */
interface LocalChanges {
  /** new contents on this disk */
  readonly files: ReadonlyMap<ListedPath, ListedFile>;
  /** archives with the bytes of others that the store has */
  readonly aliases: ReadonlyMap<ListedPath, ListedFile>;
  readonly removed: readonly ListedPath[];
}

const readsAtOnce = 4;

async function findChanges(copy: WorkingCopy, { listing }: StoreBase): Promise<LocalChanges> {
  const local = listLocalFiles(copy.dataDirectory);
  const known = await listing.all('documents');
  const files = new Map<ListedPath, ListedFile>();
  const examine = async (file: LocalFile, listed: ListedFile | undefined): Promise<void> => {
    const found = await describe(copy, file);
    if (found.sha256 !== listed?.sha256 || (isDated(file.path) && found.modified !== listed.modified))
      files.set(file.path, found);
  };
  const documents = local.documents.filter((file) => !isUnchanged(file, known.get(file.path)));
  await runBatch(documents, readsAtOnce, (file) => examine(file, known.get(file.path)));
  await runBatch(local.archives, readsAtOnce, async (file) => examine(file, await listing.file(file.path)));
  const here = new Set([...local.documents, ...local.archives].map(({ path }) => path));
  const changed = [...changedArchives(copy.dataDirectory)].filter(([path]) => !here.has(path));
  const aliases = new Map<ListedPath, ListedFile>();
  for (const [path, from] of changed) {
    const file = from === null ? undefined : await listing.file(from);
    if (from === null || file === undefined) continue;
    const alias = { ...file, key: objectKeyOf(from, file) };
    // other bytes come to a plain path: the former ones need an object of their own
    if (alias.key === from && !isPinned(from)) files.set(path, await fetched(copy, path, alias));
    else aliases.set(path, alias);
  }
  const gone = changed.flatMap(([path]) => (aliases.has(path) || files.has(path) ? [] : [path]));
  return { files, aliases, removed: [...[...known.keys()].filter((path) => !here.has(path)), ...gone] };
}

/** The archive, on this disk. */
async function fetched(copy: WorkingCopy, path: ListedPath, file: ListedFile): Promise<ListedFile> {
  await copy.fetch(path, file);
  const { key: _key, ...own } = file;
  return own;
}

/** Static hosts send the time of a document. */
function isDated(path: ListedPath): boolean {
  return path.startsWith('public/') && kindOf(path) === 'documents';
}

async function describe(copy: WorkingCopy, { path, size, modified }: LocalFile): Promise<ListedFile> {
  const { sha256, sha1 } = await digestsOf(copy.at(path));
  return { sha256, size, modified: Math.floor(modified), ...(kindOf(path) === 'archives' ? { sha1 } : {}) };
}
