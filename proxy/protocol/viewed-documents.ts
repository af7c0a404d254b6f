// The published documents as a view sees them. Each is made when it is first asked for and kept by view, not by token;
// where nothing is hidden it is the published document itself. What a view does not see leaves no byte in them (I14).

import { matchesNothingPattern } from '../../build/contract/documents.ts';
import { anyName, isAnyName } from '../tree/root-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { providerPath, type PublicPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { ViewDate } from '../views/view-date.ts';
import { passes, type Release, type ReleaseFilter, type View } from '../views/view.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { dateShiftMs, viewShiftSeconds } from '../../build/shared/caches/date-shift.ts';
import { TextDocument } from '../http/document.ts';
import type { PackageArchives } from '../tree/package-archives.ts';
import type { DatedDocument, PackageReleases } from '../tree/package-releases.ts';
import { readProviderParts, type ProviderParts, type ProviderVersion } from './provider-parts.ts';
import { visibleNames } from '../tree/visible-names.ts';
import type { TreeFiles } from '../tree/tree-files.ts';

interface Seen {
  readonly base: TextDocument;
  /** undefined: nothing of it is seen */
  readonly document: TextDocument | undefined;
  /** of packages.json: the epoch in which versions were last looked at */
  epoch: number;
}

interface RootParts {
  readonly json: JsonObject;
  readonly names: readonly PackageName[];
}

export class ViewedDocuments {
  readonly #files: TreeFiles;
  readonly #kept: ByteCache<Seen>;
  readonly #making = new SingleFlight<TextDocument>();
  // read once for all views; they go with the document they are of
  readonly #providers = new WeakMap<TextDocument, ProviderParts>();
  readonly #roots = new WeakMap<TextDocument, RootParts>();
  #publication: { readonly epoch: number; readonly publication: Publication | undefined } | undefined;

  constructor(files: TreeFiles, limitBytes: number) {
    this.#files = files;
    this.#kept = new ByteCache(limitBytes);
  }

  /**
   * The p2 document `base` of `name`, or undefined where the view sees none of its versions. `filter`: of the view, for
   * this name.
   */
  provider(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    { view, filter }: { readonly view: View; readonly filter: ReleaseFilter },
    epoch: number,
  ): MaybeAsync<TextDocument | undefined> {
    const key = keyOf(view, path);
    const kept = this.#kept.get(key);
    if (kept?.base === base) return kept.document;
    const isSeen = (releaseOfVersion: (version: ProviderVersion) => Release) => (version: ProviderVersion) =>
      passes(filter, releaseOfVersion(version));
    const make = (seen: (version: ProviderVersion) => boolean): MaybeAsync<TextDocument | undefined> => {
      // a damaged index must not tell of a document that is hidden
      if (!this.#partsOf(path, name, base).versions.some(seen)) return undefined;
      return andThen(this.#dateOf(name, base, path, filter, epoch), ({ seconds, isSure }) => {
        const document = this.#filtered(
          path,
          name,
          base,
          seconds * 1000 - dateShiftMs(view.key, viewShiftSeconds),
          seen,
        );
        if (isSure) this.#keep(key, base, document, epoch);
        return document;
      });
    };
    if (!view.dated) return make(isSeen((version) => version));
    return andThen(
      this.#archivesOf(path, name, base, epoch),
      (archives) => make(isSeen((version) => archives?.release(version.version, version.reference ?? '') ?? version)),
      () => make(isSeen((version) => version)),
    );
  }

  /**
   * Whether the view of `filter` sees a version of a p2 document that cannot be read, by the serving index. False also
   * where the index cannot be read: nothing then says that a version is seen (I14).
   */
  isSeen(
    { name, stability }: { readonly name: PackageName; readonly stability: 'stable' | 'dev' },
    filter: ReleaseFilter,
    epoch: number,
  ): MaybeAsync<boolean> {
    return andThen(
      this.#files.releases(name, epoch),
      (releases) => releases?.isSeenIn(stability, filter) === true,
      () => false,
    );
  }

  /** packages.json, made of `base`, which was made of `built`. */
  root(
    key: string,
    { built, base }: { readonly built: TextDocument; readonly base: TextDocument },
    view: View,
    epoch: number,
  ): MaybeAsync<TextDocument> {
    const own = keyOf(view, key);
    const kept = this.#kept.get(own);
    if (kept?.document !== undefined && kept.base === base && kept.epoch === epoch) return kept.document;
    return this.#making.run(own, () => this.#rootOf(own, built, base, view, epoch), [base, epoch]);
  }

  /** The memory that a document made here takes has grown by so many bytes. */
  grow(view: View, path: string, document: TextDocument, bytes: number): void {
    const key = keyOf(view, path);
    const kept = this.#kept.get(key);
    if (kept?.document === document) this.#kept.grow(key, kept, bytes);
  }

  #keep(key: string, base: TextDocument, document: TextDocument | undefined, epoch: number): void {
    this.#kept.set(
      key,
      { base, document, epoch },
      key.length + 512 + (document === undefined || document === base ? 0 : document.weight),
    );
  }

  #filtered(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    lastModifiedMs: number,
    isSeen: (version: ProviderVersion) => boolean,
  ): TextDocument | undefined {
    const parts = this.#partsOf(path, name, base);
    const hidden = new Set(parts.versions.filter((version) => !isSeen(version)));
    // also where nothing is hidden the date is the view's own: that something was hidden once must not show
    if (hidden.size === 0 && parts.versions.length > 0) return new TextDocument(base, lastModifiedMs);
    const bytes = parts.without(hidden, base.bytes);
    return bytes === undefined ? undefined : new TextDocument(bytes, lastModifiedMs);
  }

  /**
   * When what the view sees of the document last changed. An index is published before its documents: changes of a
   * later one do not count yet, and an index in memory that is older than the document is looked at once more.
   * `isSure`: false where it stays so; then nothing is kept.
   */
  #dateOf(
    name: PackageName,
    base: TextDocument,
    path: PublicPath,
    filter: ReleaseFilter,
    epoch: number,
  ): MaybeAsync<{ readonly seconds: number; readonly isSure: boolean }> {
    const kind = path === providerPath(name, 'dev') ? 'dev' : 'stable';
    const lastModified = Math.floor(base.lastModifiedMs / 1000);
    const document: DatedDocument = { lastModified, digest: base.digest };
    const dated = (releases: PackageReleases | undefined): { readonly seconds: number; readonly isSure: boolean } => {
      const date = new ViewDate();
      const seconds = releases?.addChanges(date, kind, filter, document) === true ? date.seconds : undefined;
      const knows = releases?.knows(kind, document) === true;
      return { seconds: knows && seconds !== undefined ? seconds : lastModified, isSure: knows };
    };
    return andThen(
      this.#files.releases(name, epoch),
      (releases) =>
        releases?.knows(kind, document) === true
          ? dated(releases)
          : andThen(this.#files.releasesAgain(name, epoch), dated),
      () => dated(undefined), // a damaged index does not keep a whole document from clients
    );
  }

  #partsOf(path: PublicPath, name: PackageName, base: TextDocument): ProviderParts {
    const known = this.#providers.get(base);
    if (known !== undefined) return known;
    try {
      const parts = readProviderParts(base.bytes, name);
      this.#providers.set(base, parts);
      this.#files.grow(path, base, parts.versions.length * 160);
      return parts;
    } catch (cause) {
      throw new Error(`${path} of what is published cannot be used; run \`libretto verify\``, { cause });
    }
  }

  /**
   * An index is published before the documents that name its versions: one that lacks any is looked at once more where
   * it comes from.
   */
  #archivesOf(
    path: PublicPath,
    name: PackageName,
    base: TextDocument,
    epoch: number,
  ): MaybeAsync<PackageArchives | undefined> {
    const { versions } = this.#partsOf(path, name, base);
    return andThen(this.#files.archives(name, epoch), (archives) => {
      const knowsAll =
        archives !== undefined &&
        versions.every(({ version, reference = '' }) => archives.release(version, reference) !== undefined);
      return knowsAll ? archives : this.#files.archivesAgain(name, epoch);
    });
  }

  async #rootOf(
    key: string,
    built: TextDocument,
    base: TextDocument,
    view: View,
    epoch: number,
  ): Promise<TextDocument> {
    const { json, names } = this.#rootPartsOf(base);
    const publication = await this.#publicationOf(epoch);
    const { seen, seconds } = await visibleNames(names, publication, view, this.#files, epoch);
    const before = this.#kept.get(key);
    // what the server says beside what was built moves the date back, as it does for who sees all
    const shiftMs = built.lastModifiedMs - base.lastModifiedMs + dateShiftMs(view.key, viewShiftSeconds);
    const lastModifiedMs = seconds === undefined ? built.lastModifiedMs - shiftMs : seconds * 1000 - shiftMs;
    const asksForMore = view.patterns !== undefined && isAnyName(json['available-package-patterns']);
    const made = new TextDocument(
      seen.length === names.length && seen.length > 0 && !asksForMore ? base : rootFor(json, seen, view),
      lastModifiedMs,
      { vary: base.vary },
    );
    const document = before?.document?.equals(made) === true ? redatedFrom(before.document, made) : made;
    if (document === before?.document && before.base === base) before.epoch = epoch;
    else this.#keep(key, base, document, epoch);
    return document;
  }

  /** Read once for all views. */
  #publicationOf(epoch: number): MaybeAsync<Publication | undefined> {
    if (this.#publication?.epoch === epoch) return this.#publication.publication;
    return andThen(this.#files.publication(), (publication) => {
      this.#publication = { epoch, publication };
      return publication;
    });
  }

  #rootPartsOf(base: TextDocument): RootParts {
    const known = this.#roots.get(base);
    if (known !== undefined) return known;
    const json: unknown = JSON.parse(base.bytes.toString('utf8'));
    if (!isJsonObject(json)) throw new Error('packages.json is not a JSON object');
    const list = json['available-packages'];
    const parts: RootParts = {
      json,
      names: Array.isArray(list)
        ? list.flatMap((name: unknown) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : []))
        : [],
    };
    this.#roots.set(base, parts);
    return parts;
  }
}

/** The same document with the compressed forms that there are already. */
function redatedFrom(known: TextDocument, { lastModifiedMs }: TextDocument): TextDocument {
  return known.lastModifiedMs === lastModifiedMs ? known : new TextDocument(known, lastModifiedMs);
}

function rootFor(json: JsonObject, names: readonly PackageName[], view: View): Buffer {
  // Composer takes an empty list for no list at all (ComposerRepository.php:1517)
  const mirrored = isAnyName(json['available-package-patterns']) ? (view.patterns ?? [anyName]) : [];
  const patterns = mirrored.length === 0 && names.length === 0 ? [matchesNothingPattern] : mirrored;
  const list: [string, JsonValue][] = [
    ['available-packages', names],
    ...(patterns.length === 0 ? [] : [['available-package-patterns', patterns] as [string, JsonValue]]),
  ];
  const members = Object.entries(json).flatMap(([key, value]) =>
    key === 'available-packages' ? list : key === 'available-package-patterns' ? [] : [[key, value] as const],
  );
  return Buffer.from(
    `${JSON.stringify(Object.fromEntries('available-packages' in json ? members : [...members, ...list]))}\n`,
  );
}

/** Two views are told apart before anything else. */
function keyOf(view: View, path: string): string {
  return `${view.key} ${path}`;
}
