// Copies the current documents to their own paths, public/ and index/, for static hosts and for readers that know no
// listing. The order is that of a publication on a disk. One builder projects at a time: `index/_projection.json` names
// it and the listing that is projected. A holder that was killed loses the projection after `leaseMs`; the next one
// also repairs the paths that the killed one may have written.

import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../contract/json.ts';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { kindOf, objectKeyOf, type ListedFile, type ListedPath, type ObjectDigest } from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { StoreFailure } from './store-failure.ts';
import { StoredListing } from '../listing/stored-listing.ts';
import type { StoreBase, WorkingCopy } from './working-copy.ts';

const projectionKey = 'index/_projection.json';
const leaseMs = 60_000;
const pollMs = 500;
const copiesAtOnce = 16;
/** between two renewals */
const copiesAtRenewal = 500;
const mostBytes = 64 * 1024;

interface Projection {
  /** the listing whose documents are at their own paths; null: nothing was projected yet */
  readonly listing: ObjectDigest | null;
  /** listings that were begun since then */
  readonly begun: readonly ObjectDigest[];
  /** epoch milliseconds: until then the builder that wrote this projects */
  readonly until: number;
}

type Held = Projection & { readonly etag: string };

/**
 * Resolves when the paths have the contents of `published`, or of a later publication. `whileHeld` runs when no other
 * builder removes archives.
 */
export async function project(
  copy: WorkingCopy,
  published: StoreBase,
  now: () => Date,
  whileHeld: () => Promise<void>,
): Promise<void> {
  const target = published.current?.head.listing;
  if (target === undefined) return;
  for (;;) {
    const before = await readProjection(copy);
    if (before?.listing === target && before.begun.length === 0) return whileHeld();
    const begun = [...new Set([...(before?.begun ?? []), target])];
    const next = { listing: before?.listing ?? null, begun, until: now().getTime() + leaseMs };
    const isFree = before === undefined || before.until <= now().getTime();
    const held = isFree ? await write(copy, before, next) : undefined;
    if (held === undefined) await sleep(pollMs);
    else {
      await whileHeld();
      return projectFrom(copy, held, await copy.current(), now);
    }
  }
}

async function projectFrom(
  copy: WorkingCopy,
  first: Held,
  { current, listing }: StoreBase,
  now: () => Date,
): Promise<void> {
  const files = await changedSince(copy, first, listing);
  let held: Held | undefined = first;
  for (const belongs of phases) {
    const ofPhase = [...files].filter(([path, file]) => belongs(path, file));
    for (let at = 0; at < ofPhase.length; at += copiesAtRenewal) {
      await placeAll(copy, ofPhase.slice(at, at + copiesAtRenewal));
      const isDue = held.until - now().getTime() < leaseMs / 2;
      if (isDue) held = await write(copy, held, { ...held, until: now().getTime() + leaseMs });
      // another builder continues
      if (held === undefined) return;
    }
  }
  await write(copy, held, { listing: current?.head.listing ?? null, begun: [], until: 0 });
}

/** The current files of all paths that may have other contents; undefined: the path goes. */
async function changedSince(
  copy: WorkingCopy,
  held: Held,
  listing: StoredListing,
): Promise<ReadonlyMap<ListedPath, ListedFile | undefined>> {
  const before = await StoredListing.open(held.listing ?? undefined, copy.readObject);
  const files = new Map<ListedPath, ListedFile | undefined>();
  const begun = held.begun.map((digest) => StoredListing.open(digest, copy.readObject));
  for (const after of [...(await Promise.all(begun)), listing])
    for (const kind of ['documents', 'archives'] as const)
      for (const path of (await before.differences(after, kind)).keys())
        if (isProjected(path)) files.set(path, await listing.file(path));
  return files;
}

const rootPath = `public/${rootDocumentPath}`;
const announcementPath = `index/${publicationPath}`;

/** Archives under their own names are there before. Readers of a path never meet a document without its archive. */
const phases: readonly ((path: ListedPath, file: ListedFile | undefined) => boolean)[] = [
  (path, file) => file !== undefined && path.startsWith('index/') && path !== announcementPath,
  (path, file) => file !== undefined && path.startsWith('public/') && kindOf(path) === 'documents' && path !== rootPath,
  (path, file) => file !== undefined && path === rootPath,
  (path, file) => file !== undefined && kindOf(path) === 'archives',
  (_path, file) => file === undefined,
  (path, file) => file !== undefined && path === announcementPath,
];

function isProjected(path: ListedPath): boolean {
  return path.startsWith('public/') || path.startsWith('index/');
}

async function placeAll(
  copy: WorkingCopy,
  files: readonly (readonly [ListedPath, ListedFile | undefined])[],
): Promise<void> {
  const gone = files.flatMap(([path, file]) => (file === undefined ? [path] : []));
  if (gone.length > 0) await copy.store.remove(gone);
  await runBatch(files, copiesAtOnce, async ([path, file]) => {
    if (file === undefined || objectKeyOf(path, file) === path) return;
    if (!(await copy.store.copy(objectKeyOf(path, file), path)))
      throw new StoreFailure('damaged', `${copy.store.name} has no ${objectKeyOf(path, file)}, which its head needs.`);
  });
}

export async function readProjection(copy: WorkingCopy): Promise<Held | undefined> {
  const found = await copy.store.get(projectionKey, mostBytes);
  if (found === undefined) return undefined;
  const json: unknown = JSON.parse(found.bytes.toString('utf8'));
  const { listing, begun, until } = isJsonObject(json) ? json : {};
  const digests = Array.isArray(begun) ? begun.map((one: unknown) => String(one) as ObjectDigest) : [];
  return {
    listing: typeof listing === 'string' ? (listing as ObjectDigest) : null,
    begun: digests,
    until: Number(until),
    etag: found.etag,
  };
}

/** undefined: another builder was first. */
async function write(copy: WorkingCopy, before: Held | undefined, next: Projection): Promise<Held | undefined> {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...next })}\n`);
  const headers = { contentType: 'application/json', cacheControl: 'private, no-cache' };
  const condition = before === undefined ? 'absent' : { etag: before.etag };
  const written = await copy.store.put(projectionKey, { bytes, sha256: digestOf(bytes) }, headers, condition);
  return written.outcome === 'written' ? { ...next, etag: written.etag } : undefined;
}
