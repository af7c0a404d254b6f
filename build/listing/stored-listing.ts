// A listing at the store, with the parts that were read of it. Makes the next listing out of changes.

import {
  documentKey,
  emptyListing,
  formatListing,
  formatPart,
  kindOf,
  parseListing,
  parsePart,
  partOf,
  partsFor,
  type ListedFile,
  type ListedPath,
  type ListingKind,
  type ListingKindRoot,
  type ListingPart,
  type ListingRoot,
  type ObjectDigest,
} from '../contract/store-listing.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { digestOf } from '../shared/text/digest-of.ts';

/** The text of an object below index/documents/. Rejects if there is none. */
export type ReadObject = (digest: ObjectDigest) => Promise<string>;

/** null: the path goes. */
export type ListingChanges = ReadonlyMap<ListedPath, ListedFile | null>;

export interface NextListing {
  readonly listing: ObjectDigest;
  /** the new objects below index/documents/, the root of the listing last */
  readonly objects: readonly { readonly sha256: ObjectDigest; readonly text: string }[];
}

const readsAtOnce = 16;
const kinds = ['documents', 'archives'] as const;

export class StoredListing {
  readonly root: ListingRoot;
  readonly #read: ReadObject;
  readonly #parts = new Map<ObjectDigest, Promise<ListingPart>>();

  constructor(root: ListingRoot, read: ReadObject) {
    this.root = root;
    this.#read = read;
  }

  /** `digest`: of the root; undefined: a listing without files. */
  static async open(digest: ObjectDigest | undefined, read: ReadObject): Promise<StoredListing> {
    if (digest === undefined) return new StoredListing(emptyListing, read);
    return new StoredListing(parsed(digest, await read(digest), parseListing), read);
  }

  async file(path: ListedPath): Promise<ListedFile | undefined> {
    return (await this.#partWith(kindOf(path), path)).get(path);
  }

  /** The archives below a folder of public/dist/, or below the whole folder. */
  async archivesBelow(folder: ListedPath): Promise<readonly ListedPath[]> {
    const depth = folder.split('/').length;
    const rows = depth >= 4 ? await this.#partWith('archives', folder) : await this.all('archives');
    return [...rows.keys()].filter((path) => path.startsWith(`${folder}/`));
  }

  async all(kind: ListingKind): Promise<ListingPart> {
    const parts = await runBatch(this.root[kind].parts, readsAtOnce, (digest) => this.part(digest));
    return new Map(parts.flatMap((part) => [...part]));
  }

  /** The paths whose files differ between two listings, of one kind. Parts that both have are not read. */
  async differences(other: StoredListing, kind: ListingKind): Promise<Map<ListedPath, ListedFile | null>> {
    const [mine, its] = [this.root[kind].parts, other.root[kind].parts];
    const isDistributedAlike = mine.length === its.length;
    const changed = mine.flatMap((digest, at) => (isDistributedAlike && digest === its[at] ? [] : [at]));
    const before = await merged(changed, (at) => this.part(mine[at] ?? null));
    const after = isDistributedAlike
      ? await merged(changed, (at) => other.part(its[at] ?? null))
      : await other.all(kind);
    const found = new Map<ListedPath, ListedFile | null>();
    for (const path of before.keys()) if (!after.has(path)) found.set(path, null);
    for (const [path, file] of after) if (!isSame(before.get(path), file)) found.set(path, file);
    return found;
  }

  async next(changes: ListingChanges): Promise<NextListing> {
    const objects: { sha256: ObjectDigest; text: string }[] = [];
    const add = (text: string): ObjectDigest => {
      const sha256 = digestOf(text) as ObjectDigest;
      objects.push({ sha256, text });
      return sha256;
    };
    const [documents, archives] = await Promise.all(
      kinds.map((kind) => this.#nextKind(kind, new Map([...changes].filter(([path]) => kindOf(path) === kind)), add)),
    );
    if (documents === undefined || archives === undefined) throw new Error('there are two kinds of files');
    return { listing: add(formatListing({ documents, archives })), objects };
  }

  async #nextKind(
    kind: ListingKind,
    changes: ListingChanges,
    add: (text: string) => ObjectDigest,
  ): Promise<ListingKindRoot> {
    const { files: before, parts } = this.root[kind];
    const touched = [...new Set([...changes.keys()].map((path) => partOf(path, parts.length)))];
    const rows = await merged(touched, (at) => this.part(parts[at] ?? null));
    const had = rows.size;
    apply(changes, rows);
    const files = before - had + rows.size;
    const count = partsFor(files, parts.length);
    const isRedistributed = count !== parts.length;
    const all = isRedistributed ? apply(changes, new Map(await this.all(kind))) : rows;
    const groups = new Map<number, Map<ListedPath, ListedFile>>(
      isRedistributed ? [] : touched.map((at) => [at, new Map()]),
    );
    for (const [path, file] of all) {
      const at = partOf(path, count);
      groups.set(at, (groups.get(at) ?? new Map<ListedPath, ListedFile>()).set(path, file));
    }
    const next = isRedistributed ? Array.from({ length: count }, () => null as ObjectDigest | null) : [...parts];
    for (const [at, part] of groups) next[at] = part.size === 0 ? null : add(formatPart(part));
    return { files, parts: next };
  }

  #partWith(kind: ListingKind, path: ListedPath): Promise<ListingPart> {
    const { parts } = this.root[kind];
    return this.part(parts[partOf(path, parts.length)] ?? null);
  }

  part(digest: ObjectDigest | null): Promise<ListingPart> {
    if (digest === null) return Promise.resolve(new Map());
    const known = this.#parts.get(digest);
    if (known !== undefined) return known;
    const reading = this.#read(digest).then((text) => parsed(digest, text, parsePart));
    this.#parts.set(digest, reading);
    return reading;
  }
}

async function merged(
  parts: readonly number[],
  read: (part: number) => Promise<ListingPart>,
): Promise<Map<ListedPath, ListedFile>> {
  const found = await runBatch(parts, readsAtOnce, read);
  return new Map(found.flatMap((part) => [...part]));
}

function apply(changes: ListingChanges, rows: Map<ListedPath, ListedFile>): Map<ListedPath, ListedFile> {
  for (const [path, file] of changes) {
    if (file === null) rows.delete(path);
    else rows.set(path, file);
  }
  return rows;
}

function isSame(one: ListedFile | undefined, other: ListedFile): boolean {
  return one?.sha256 === other.sha256 && one.modified === other.modified && one.key === other.key;
}

function parsed<Result>(digest: ObjectDigest, text: string, parse: (text: string) => Result): Result {
  try {
    return parse(text);
  } catch (cause) {
    throw new Error(`${documentKey(digest)}: ${(cause as Error).message}`, { cause });
  }
}
