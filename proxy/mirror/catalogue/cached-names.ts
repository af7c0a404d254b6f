// Lists the packages that have files in a folder of vendors: the documents of one upstream, or accepted archives. A
// folder is read again only after a change.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { entriesIn } from '../archives/accepted-archive-store.ts';

/** The stored files of one package: the same object while the files are unchanged. */
export interface CachedPackage {
  /** whole paths, sorted: the document of releases comes before that of dev versions */
  readonly paths: readonly string[];
  readonly stamp: string;
}

interface Vendor {
  /** undefined: to be checked again, since the folder may change within the same clock tick */
  readonly stamp: string | undefined;
  readonly packages: ReadonlyMap<PackageName, CachedPackage>;
}

const settledAfterMs = 2000;

/** The file name of a document. */
export const documentFiles = /^(.+?)(?:~dev)?\.json$/;
export const anything = /^(.+)$/;

export class CachedNames {
  readonly #folder: string;
  readonly #entries: RegExp;
  #vendors: ReadonlyMap<string, Vendor> = new Map();

  /**
   * `folder`: has a folder for each vendor. `entries`: matches the entries of a package; its first group is the
   * project.
   */
  constructor(folder: string, entries: RegExp) {
    this.#folder = folder;
    this.#entries = entries;
  }

  /** The present packages. Vendors are read one after the other, so that other requests get their turn. */
  async look(): Promise<ReadonlyMap<PackageName, CachedPackage>> {
    const vendors = new Map<string, Vendor>();
    const all = new Map<PackageName, CachedPackage>();
    for (const vendor of await entriesIn(this.#folder)) {
      const found = await this.#vendor(vendor, this.#vendors.get(vendor));
      if (found === undefined) continue;
      vendors.set(vendor, found);
      for (const [name, kept] of found.packages) all.set(name, kept);
    }
    this.#vendors = vendors;
    return all;
  }

  async #vendor(vendor: string, before: Vendor | undefined): Promise<Vendor | undefined> {
    const folder = join(this.#folder, vendor);
    const found = await stampOf(folder);
    if (found?.isFolder !== true) return undefined;
    if (before?.stamp === found.stamp) return before;
    const paths = new Map<PackageName, string[]>();
    for (const entry of await entriesIn(folder)) {
      const name = parsePackageName(`${vendor}/${this.#entries.exec(entry)?.[1] ?? ''}`);
      if (name !== undefined) paths.set(name, [...(paths.get(name) ?? []), join(folder, entry)]);
    }
    const packages = new Map<PackageName, CachedPackage>();
    let isWhole = found.settled;
    for (const [name, files] of paths) {
      const sorted = files.toSorted();
      const stamps = await Promise.all(sorted.map(stampOf));
      // changes inside a subfolder do not change the vendor's folder
      if (stamps.some((one) => one?.isFolder !== false)) isWhole = false;
      const stamp = stamps.map((one) => one?.stamp ?? '').join(' ');
      const known = before?.packages.get(name);
      packages.set(name, known?.stamp === stamp ? known : { paths: sorted, stamp });
    }
    return { stamp: isWhole ? found.stamp : undefined, packages };
  }
}

/** The identity of a file, without the time of its last check. A new content is a new file. */
async function stampOf(
  path: string,
): Promise<{ readonly stamp: string; readonly isFolder: boolean; readonly settled: boolean } | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const isFolder = found.isDirectory();
  return {
    stamp: `${found.ino} ${isFolder ? found.mtimeMs : `${found.birthtimeMs} ${found.size}`}`,
    isFolder,
    settled: Date.now() - found.mtimeMs > settledAfterMs,
  };
}
