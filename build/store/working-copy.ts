// A data folder whose files are at an object store: this disk has a copy of all documents, and archives only while they
// are new or needed. `update` makes the copy equal to the store's current listing. A killed process leaves the mark
// `changing`: its unpublished changes are dropped by the next `update`.

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../contract/json.ts';
import { publicationPath } from '../contract/paths.ts';
import {
  documentKey,
  formatHead,
  headKey,
  objectKeyOf,
  parseHead,
  type ListedFile,
  type ListedPath,
  type ListingPart,
  type ObjectDigest,
  type StoreHead,
} from '../contract/store-listing.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { withPath } from '../output/storage-error.ts';
import { syncPath } from '../output/sync-path.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { replaceFile } from '../shared/files/atomic-file.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { digestsOf, listLocalFiles, type LocalFile } from './local-files.ts';
import type { ObjectStore } from './object-store.ts';
import { StoredListing, type ReadObject } from '../listing/stored-listing.ts';
import {
  basePath,
  changedArchivesPath,
  changingPath,
  emptyPath,
  inspectedFolder,
  listingFolder,
  refuseOtherCopy,
  storeFolder,
} from '../listing/working-copy-files.ts';
import { StoreFailure } from './store-failure.ts';

/** The state of the store that the copy was made from. */
export interface StoreBase {
  /** undefined: the store has no registry yet */
  readonly current: { readonly head: StoreHead; readonly etag: string } | undefined;
  readonly listing: StoredListing;
}

/** `isProjected`: the documents are known to be at their own paths. */
export type CopiedBase = StoreBase & { readonly isProjected: boolean };

const transfersAtOnce = 16;
const mostHeadBytes = 64 * 1024;
const mostListingBytes = 256 * 1024 * 1024;

export class WorkingCopy {
  readonly dataDirectory: string;
  readonly store: ObjectStore;

  constructor(dataDirectory: string, store: ObjectStore) {
    this.dataDirectory = dataDirectory;
    this.store = store;
  }

  at(path: string): string {
    return join(this.dataDirectory, path);
  }

  /** Throws BuildRefused if the folder and the store have different registries, and StoreFailure. */
  async update(): Promise<CopiedBase> {
    const local = await this.#readBase();
    const known = existsSync(this.at(changingPath)) ? undefined : local;
    const found = await this.store.getIfChanged(headKey, known?.etag, mostHeadBytes);
    if (found === undefined) return { ...(await this.#withoutHead(local)), isProjected: true };
    const current = found === 'same' ? known : { head: this.#parse(found.bytes.toString('utf8')), etag: found.etag };
    if (current === undefined) throw new StoreFailure('damaged', `${this.store.name} answered 304 to a plain request.`);
    const base = { ...(await this.#baseOf(current)), isProjected: found === 'same' && known?.isProjected === true };
    if (found === 'same' && (await this.#isIntact(base))) return base;
    if (local === undefined) await this.#refuseOtherRegistry(base);
    await this.markChanging(base);
    const before = known === undefined ? undefined : await this.#baseOf(known);
    await this.#checkOut((await before?.listing.all('documents')) ?? new Map(), base);
    await this.settle(base);
    await this.keepListing(base);
    return base;
  }

  /** Drops what was changed since the copy was settled, but for fetched archives. */
  async restore(base: StoreBase, fetched: Set<ListedPath>): Promise<void> {
    await this.#checkOut(await base.listing.all('documents'), base, fetched);
    await rm(this.at(changedArchivesPath), { force: true });
  }

  /** Reads the current state of the store, and leaves the copy unchanged. */
  async current(): Promise<StoreBase> {
    const found = await this.store.get(headKey, mostHeadBytes);
    if (found === undefined) return this.#withoutHead(undefined);
    return this.#baseOf({ head: this.#parse(found.bytes.toString('utf8')), etag: found.etag });
  }

  /** From now on the copy may differ from its base. */
  async markChanging({ current }: Pick<StoreBase, 'current'>): Promise<void> {
    const isFirst = current === undefined && !existsSync(this.at(`index/${publicationPath}`));
    await mkdir(this.at(storeFolder), { recursive: true });
    for (const path of isFirst ? [emptyPath, changingPath] : [changingPath]) await writeFile(this.at(path), '');
  }

  /** The copy equals the base. */
  async settle({ current, isProjected }: Omit<CopiedBase, 'listing'>): Promise<void> {
    await mkdir(this.at(listingFolder), { recursive: true });
    if (current !== undefined) {
      const base = { store: this.store.name, etag: current.etag, text: formatHead(current.head), isProjected };
      await replaceFile(this.at(basePath), [JSON.stringify(base)]);
    }
    for (const path of [inspectedFolder, changedArchivesPath, emptyPath, changingPath])
      await rm(this.at(path), { recursive: true, force: true });
  }

  /** Removes the objects of other listings from this disk. */
  async keepListing({ current, listing }: StoreBase): Promise<void> {
    const { documents, archives } = listing.root;
    const used = new Set<string | null | undefined>([current?.head.listing, ...documents.parts, ...archives.parts]);
    for (const name of await readdir(this.at(listingFolder)))
      if (!used.has(name)) await rm(this.at(`${listingFolder}/${name}`), { force: true });
  }

  /** An object of the listing, from this disk or from the store. */
  readonly readObject: ReadObject = async (digest) => {
    const path = this.at(`${listingFolder}/${digest}`);
    const kept = await readFile(path, 'utf8').catch(() => undefined);
    if (kept !== undefined && digestOf(kept) === digest) return kept;
    const found = await this.store.get(documentKey(digest), mostListingBytes);
    const text = found?.bytes.toString('utf8');
    if (text === undefined || digestOf(text) !== digest)
      throw new StoreFailure(
        'damaged',
        `${this.store.name} has no intact ${documentKey(digest)}, which its head needs.`,
      );
    // a command that only looks makes no folder; a build has its lock there
    if (existsSync(dirname(this.at(storeFolder)))) await this.keepObject(digest, text);
    return text;
  };

  async keepObject(digest: ObjectDigest, text: string): Promise<void> {
    await mkdir(this.at(listingFolder), { recursive: true });
    await replaceFile(this.at(`${listingFolder}/${digest}`), [text]);
  }

  /** Brings the bytes of a listed file to this disk. */
  async fetch(path: ListedPath, file: ListedFile): Promise<void> {
    const [staging, target] = [this.at(`build/staging/${randomUUID()}`), this.at(path)];
    await mkdir(dirname(staging), { recursive: true });
    if (!(await this.store.download(objectKeyOf(path, file), staging, file)))
      throw new StoreFailure('damaged', `${this.store.name} has no ${objectKeyOf(path, file)}, which its head needs.`);
    await withPath(target, mkdir(dirname(target), { recursive: true }));
    await utimes(staging, file.modified / 1000, file.modified / 1000);
    await withPath(target, rename(staging, target));
  }

  async #checkOut(known: ListingPart, { listing }: StoreBase, kept = new Set<ListedPath>()): Promise<void> {
    const [local, wanted] = [listLocalFiles(this.dataDirectory), await listing.all('documents')];
    const here = new Map(local.documents.map((file) => [file.path, file]));
    const goes = [
      ...local.archives.filter(({ path }) => !kept.has(path)),
      ...local.documents.filter(({ path }) => !wanted.has(path)),
    ];
    for (const { path } of goes) await rm(this.at(path), { force: true });
    const fetched = await runBatch([...wanted], transfersAtOnce, async ([path, file]) => {
      if (await this.#has(here.get(path), known.get(path), file)) return [];
      await this.fetch(path, file);
      return [this.at(path)];
    });
    await runBatch(fetched.flat(), transfersAtOnce, syncPath);
    // work that meets an absent archive reads these parts from this disk
    await listing.all('archives');
  }

  /** Whether the file on this disk has the wanted bytes; then it gets the wanted time, too. */
  async #has(local: LocalFile | undefined, known: ListedFile | undefined, wanted: ListedFile): Promise<boolean> {
    if (local === undefined || local.size !== wanted.size) return false;
    const path = this.at(local.path);
    const sha256 = isUnchanged(local, known) ? known?.sha256 : (await digestsOf(path)).sha256;
    if (sha256 !== wanted.sha256) return false;
    if (!isUnchanged(local, wanted)) await utimes(path, wanted.modified / 1000, wanted.modified / 1000);
    return true;
  }

  /** Whether nobody has changed the copy since it was settled. */
  async #isIntact({ listing }: StoreBase): Promise<boolean> {
    const { documents } = listLocalFiles(this.dataDirectory);
    const wanted = await listing.all('documents');
    const isEqual = documents.length === wanted.size && !existsSync(this.at(changedArchivesPath));
    return isEqual && documents.every((file) => isUnchanged(file, wanted.get(file.path)));
  }

  async #readBase(): Promise<(NonNullable<StoreBase['current']> & { readonly isProjected: boolean }) | undefined> {
    const text = await readFile(this.at(basePath), 'utf8').catch(() => undefined);
    try {
      const json: unknown = JSON.parse(text ?? 'null');
      if (!isJsonObject(json) || json['store'] !== this.store.name) return undefined;
      const isProjected = json['isProjected'] === true;
      return { head: parseHead(String(json['text'])), etag: String(json['etag']), isProjected };
    } catch {
      return undefined; // damaged: the copy is compared with the store
    }
  }

  async #baseOf({ head, etag }: NonNullable<StoreBase['current']>): Promise<StoreBase> {
    return { current: { head, etag }, listing: await StoredListing.open(head.listing, this.readObject) };
  }

  async #withoutHead(local: StoreBase['current']): Promise<StoreBase> {
    if (local !== undefined)
      throw new StoreFailure(
        'damaged',
        `${this.store.name} has lost ${headKey}; this data folder has its generation ${local.head.generation}. ` +
          `Restore the object. To publish this data folder anew, delete ${this.at(storeFolder)} and build again.`,
      );
    refuseOtherCopy(this.dataDirectory, this.store.name);
    return { current: undefined, listing: await StoredListing.open(undefined, this.readObject) };
  }

  async #refuseOtherRegistry({ listing }: StoreBase): Promise<void> {
    const path = `index/${publicationPath}`;
    const isOwn = existsSync(this.at(path)) && !existsSync(this.at(emptyPath));
    if (!isOwn || (await digestsOf(this.at(path))).sha256 === (await listing.file(path))?.sha256) return;
    throw new BuildRefused(
      `${this.dataDirectory} has a registry of its own, and ${this.store.name} has another one. ` +
        'Use an empty data folder for this output, or an empty prefix of the bucket for this data folder.',
    );
  }

  #parse(text: string): StoreHead {
    try {
      return parseHead(text);
    } catch (cause) {
      throw new StoreFailure('damaged', `${headKey} of ${this.store.name}: ${(cause as Error).message}.`, { cause });
    }
  }
}

/** A file keeps its size and time unless it changes; both clocks of a copy have milliseconds. */
export function isUnchanged({ size, modified }: LocalFile, listed: ListedFile | undefined): boolean {
  return listed?.size === size && Math.abs(listed.modified - modified) < 1;
}
