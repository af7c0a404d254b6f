// The published p2 documents as a view sees them, made on the first request of each view. A document contains no byte
// of a hidden version (I14). Tokens with equal limits share a view, and so its documents.

import { type PackageName } from '../../../build/contract/name.ts';
import { providerPath, type PublicPath } from '../../../build/contract/paths.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { createSlices } from '../../../build/shared/concurrency/yielding.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { ViewDate } from '../views/view-date.ts';
import { passes, type ReleaseFilter, type View } from '../views/view.ts';
import { dateShiftMs, viewShiftSeconds } from '../../../build/shared/caches/date-shift.ts';
import { TextDocument } from '../http/document.ts';
import { readDocumentReleases } from '../tree/document-releases.ts';
import type { PackageArchives } from '../tree/package-archives.ts';
import type { DatedDocument, PackageReleases } from '../tree/package-releases.ts';
import { readProviderParts, type ProviderParts, type ProviderVersion } from './provider-parts.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { ViewCache } from './view-cache.ts';

export class ViewedDocuments {
  readonly #files: TreeFiles;
  readonly #cache: ViewCache;
  // read once for all views
  readonly #providers = new WeakMap<TextDocument, Promise<ProviderParts>>();
  readonly #making = new SingleFlight<TextDocument | undefined>();
  // a document may have many megabytes, and many views may ask for it at once
  readonly #inSlices = createSlices();

  constructor(files: TreeFiles, cache: ViewCache) {
    this.#files = files;
    this.#cache = cache;
  }

  /**
   * The p2 document `base` of `name`; undefined: the view sees none of its versions. `filter`: of the view for this
   * name.
   */
  provider(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    { view, filter }: { readonly view: View; readonly filter: ReleaseFilter },
    epoch: number,
  ): MaybeAsync<TextDocument | undefined> {
    const cached = this.#cache.get(view, path);
    if (cached?.base === base) return cached.document;
    const make = () => this.#make(path, name, base, { view, filter }, epoch);
    return this.#making.run(`${view.key} ${path}`, make, [base, epoch]);
  }

  async #make(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    { view, filter }: { readonly view: View; readonly filter: ReleaseFilter },
    epoch: number,
  ): Promise<TextDocument | undefined> {
    const archives = view.dated ? await this.#archivesOf(path, name, base, epoch).catch(() => undefined) : undefined;
    const isSeen = (version: ProviderVersion): boolean =>
      passes(filter, archives?.release(version.version, version.reference ?? '') ?? version);
    // a damaged index must not reveal a hidden document
    if (!(await this.#partsOf(path, name, base)).versions.some(isSeen)) return undefined;
    const { seconds, isSure } = await this.#dateOf(name, base, path, filter, epoch);
    const lastModifiedMs = seconds * 1000 - dateShiftMs(view.key, viewShiftSeconds);
    const document = await this.#filtered(path, name, base, lastModifiedMs, isSeen);
    if (isSure) this.#cache.set(view, path, { base, document, epoch });
    return document;
  }

  /**
   * The document without versions of a package that has only releases, or only dev versions; undefined: the view sees
   * none of its versions. Its date rises with each visible withdrawal, and is 0 before the first version (I19).
   * `isOnDisk`: the document is there, with hidden versions alone. Rejects if the document may be lost.
   */
  withoutVersions(
    { name, stability }: { readonly name: PackageName; readonly stability: 'stable' | 'dev' },
    { view, filter }: { readonly view: View | undefined; readonly filter: ReleaseFilter },
    epoch: number,
    isOnDisk: boolean,
  ): MaybeAsync<TextDocument | undefined> {
    // a view that sees the whole package has its documents with their own dates
    const shiftMs = view === undefined || filter === 'all' ? 0 : dateShiftMs(view.key, viewShiftSeconds);
    const make = (seconds: number | undefined): TextDocument =>
      new TextDocument(
        Buffer.from(`${JSON.stringify({ packages: { [name]: {} } })}\n`),
        seconds === undefined ? 0 : seconds * 1000 - shiftMs,
      );
    return andThen(
      this.#files.releases(name, epoch),
      // a version that the index has in this document: the document is lost, or about to be written
      (releases) =>
        releases?.isSeen(filter) === true && !releases.isSeenIn(stability, filter)
          ? make(releases.emptySince(stability, filter))
          : undefined,
      async (fault) => {
        const { isSeen } = await readDocumentReleases(this.#files, name, filter, epoch);
        if (filter !== 'all' && !isSeen) return undefined;
        // without an index, nobody knows if an absent document is lost
        if (!isOnDisk) throw fault;
        return make(undefined);
      },
    );
  }

  async #filtered(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    lastModifiedMs: number,
    isSeen: (version: ProviderVersion) => boolean,
  ): Promise<TextDocument | undefined> {
    const parts = await this.#partsOf(path, name, base);
    const hidden = new Set(parts.versions.filter((version) => !isSeen(version)));
    // the date belongs to the view even if nothing is hidden: it must not show that a version was hidden earlier
    if (hidden.size === 0 && parts.versions.length > 0) return new TextDocument(base, lastModifiedMs);
    const cut = await parts.without(hidden, base.bytes);
    return cut === undefined ? undefined : new TextDocument(cut.bytes, lastModifiedMs, { sha256: cut.sha256 });
  }

  /**
   * The last change of the visible part of the document. An index is published before its documents: changes of a later
   * document do not count yet. An index in memory that is older than the document is read again. `isSure`: false if the
   * index stays older; the result is then not cached.
   */
  async #dateOf(
    name: PackageName,
    base: TextDocument,
    path: PublicPath,
    filter: ReleaseFilter,
    epoch: number,
  ): Promise<{ readonly seconds: number; readonly isSure: boolean }> {
    const kind = path === providerPath(name, 'dev') ? 'dev' : 'stable';
    const lastModified = Math.floor(base.lastModifiedMs / 1000);
    const document: DatedDocument = { lastModified, digest: base.digest };
    const dated = (releases: PackageReleases | undefined): { readonly seconds: number; readonly isSure: boolean } => {
      const date = new ViewDate();
      const seconds = releases?.addChanges(date, kind, filter, document) === true ? date.seconds : undefined;
      const knows = releases?.knows(kind, document) === true;
      return { seconds: knows && seconds !== undefined ? seconds : lastModified, isSure: knows };
    };
    let releases: PackageReleases | undefined;
    try {
      releases = await this.#files.releases(name, epoch);
    } catch {
      return dated(undefined); // a damaged index does not keep a whole document from clients
    }
    return dated(releases?.knows(kind, document) === true ? releases : await this.#files.releasesAgain(name, epoch));
  }

  #partsOf(path: PublicPath, name: PackageName, base: TextDocument): Promise<ProviderParts> {
    const known = this.#providers.get(base);
    if (known !== undefined) return known;
    const reading = readProviderParts(base.bytes, name, this.#inSlices).catch((cause: unknown) => {
      throw new Error(`${path} of what is published cannot be used; run \`libretto verify\``, { cause });
    });
    this.#providers.set(base, reading);
    return reading.then((parts) => {
      this.#files.grow(path, base, parts.versions.length * 160);
      return parts;
    });
  }

  /**
   * An index is published before the documents that name its versions. So an index in memory without one of these
   * versions is read again.
   */
  async #archivesOf(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    epoch: number,
  ): Promise<PackageArchives | undefined> {
    const archives = await this.#files.archives(name, epoch);
    const { versions } = await this.#partsOf(path, name, base);
    const knowsAll =
      archives !== undefined &&
      versions.every(({ version, reference = '' }) => archives.release(version, reference) !== undefined);
    return knowsAll ? archives : this.#files.archivesAgain(name, epoch);
  }
}
