// The archives of a working copy that are only at the store: their facts come from the listing on this disk. Work that
// needs the bytes of one throws ArchivesNeeded; `changeTree` fetches them and repeats the work.

import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../contract/json.ts';
import { kindOf, parseHead, type ListedFile, type ListedPath } from '../contract/store-listing.ts';
import { StoredListing } from '../listing/stored-listing.ts';
import {
  basePath,
  changedArchives,
  changedArchivesPath,
  isWorkingCopy,
  listingFolder,
} from '../listing/working-copy-files.ts';

/** `path`: an archive that is not on this disk. */
export class ArchivesNeeded extends Error {
  readonly path: ListedPath;

  constructor(path: ListedPath) {
    super(`${path} is at the object store, and was not fetched.`);
    this.path = path;
  }
}

export class AbsentArchives {
  readonly #dataDirectory: string;
  #listing: Promise<StoredListing> | undefined;
  #changed: Map<ListedPath, ListedPath | null> | undefined;

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  /** undefined: the store has no such archive either, or it was removed. */
  async file(path: ListedPath): Promise<ListedFile | undefined> {
    if (kindOf(path) !== 'archives' || !isWorkingCopy(this.#dataDirectory)) return undefined;
    const source = this.#changes().get(path);
    return source === null ? undefined : (await this.#open()).file(source ?? path);
  }

  /** The archives below a folder of public/. */
  async below(folder: ListedPath): Promise<readonly ListedPath[]> {
    if (!/^public(?:\/dist(?:\/|$)|\/?$)/.test(folder) || !isWorkingCopy(this.#dataDirectory)) return [];
    const [changes, place] = [this.#changes(), folder.startsWith('public/dist') ? folder : 'public/dist'];
    const listed = await (await this.#open()).archivesBelow(place);
    const aliases = [...changes].flatMap(([to, from]) => (from !== null && to.startsWith(`${place}/`) ? [to] : []));
    return [...new Set([...listed, ...aliases])].filter((path) => changes.get(path) !== null);
  }

  /**
   * Gives `to` the bytes of an archive that only the store has. False: it has none. Throws ArchivesNeeded if `to` is the
   * path of no archive.
   */
  async alias(from: ListedPath, to: ListedPath): Promise<boolean> {
    if ((await this.file(from)) === undefined) return false;
    if (kindOf(to) !== 'archives') throw new ArchivesNeeded(from);
    this.#change(to, this.#changes().get(from) ?? from);
    return true;
  }

  /** Throws ArchivesNeeded for an archive that only the store has. */
  async demand(path: ListedPath): Promise<void> {
    if ((await this.file(path)) !== undefined) throw new ArchivesNeeded(path);
  }

  /** Notes the removal of a path, whether this disk has its file or not. */
  remove(path: ListedPath): void {
    if (kindOf(path) === 'archives' && isWorkingCopy(this.#dataDirectory)) this.#change(path, null);
  }

  #change(path: ListedPath, from: ListedPath | null): void {
    this.#changes().set(path, from);
    appendFileSync(join(this.#dataDirectory, changedArchivesPath), `${path}${from === null ? '' : `\t${from}`}\n`);
  }

  #changes(): Map<ListedPath, ListedPath | null> {
    this.#changed ??= changedArchives(this.#dataDirectory);
    return this.#changed;
  }

  #open(): Promise<StoredListing> {
    this.#listing ??= this.#read();
    return this.#listing;
  }

  async #read(): Promise<StoredListing> {
    const base: unknown = JSON.parse(await readFile(join(this.#dataDirectory, basePath), 'utf8'));
    const head = parseHead(String(isJsonObject(base) ? base['text'] : ''));
    return StoredListing.open(head.listing, (digest) =>
      readFile(join(this.#dataDirectory, listingFolder, digest), 'utf8'),
    );
  }
}
