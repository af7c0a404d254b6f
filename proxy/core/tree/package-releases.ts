// The versions of one package, reduced to the needs of views: the published ones, and the publications that changed
// each version. The objects are small enough to cache those of every package.

import { formatReleasedVersion } from '../../../build/contract/released-version.ts';
import type { DocumentStamp, PackageIndex } from '../../../build/contract/serving-index.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import type { VersionChange } from '../../../build/contract/version-changes.ts';
import { ViewDate } from '../views/view-date.ts';
import { passes, releaseOf, type ReleaseFacts, type ReleaseFilter } from '../views/view.ts';

type Kind = 'stable' | 'dev';
type Intern = (text: string) => string;

/** A served document. In a copied tree its date is that of the copy; its bytes still identify the document. */
export interface DatedDocument {
  /** epoch seconds */
  readonly lastModified: number;
  /** the beginning of the hex SHA-256 of its bytes */
  readonly digest: string;
}

/** `serial`: of the publication; 0: before changes were recorded. `at`: epoch seconds. */
export type RecordedChange = Pick<VersionChange, 'serial' | 'at'>;

export class PackageReleases {
  readonly #releases: Releases;
  /** the number of published releases: they come first, and then the others that have an archive */
  readonly #published: number;
  readonly #archived: number;
  readonly #documents: { readonly [Each in Kind]: RecordedChanges };

  /** `intern`: one text for all equal ones: nearly every package has its 1.0.0.0. */
  constructor({ versions, documents }: Pick<PackageIndex, 'versions' | 'documents'>, intern: Intern) {
    const places = new Map<string, number>();
    const all: ReleaseFacts[] = [];
    const placeOf = (release: ReleaseFacts): number => {
      const text = formatReleasedVersion(release);
      const known = places.get(text);
      if (known === undefined) places.set(text, all.push(release) - 1);
      return known ?? all.length - 1;
    };
    for (const entry of versions) if (entry.state === 'published') placeOf(releaseOf(entry));
    this.#published = all.length;
    for (const entry of versions) if (entry.state !== 'published') placeOf(releaseOf(entry));
    this.#archived = all.length;
    this.#documents = {
      stable: recordedChanges(documents.stable, placeOf),
      dev: recordedChanges(documents.dev, placeOf),
    };
    this.#releases = new Releases(all, intern);
  }

  /** True if a caller with this view sees a published version; `archives`: a version that may be withdrawn. */
  isSeen(filter: ReleaseFilter, part: 'documents' | 'archives' = 'documents'): boolean {
    const count = part === 'archives' ? this.#archived : this.#published;
    if (filter === 'all' || filter === 'none') return filter === 'all' && count > 0;
    for (let at = 0; at < count; at += 1) if (this.#releases.isSeen(at, filter)) return true;
    return false;
  }

  /** True if a caller with this view sees a version that is published in this document. */
  isSeenIn(kind: Kind, filter: ReleaseFilter): boolean {
    for (let at = 0; at < this.#published; at += 1)
      if (this.#releases.isDev(at) === (kind === 'dev') && this.#releases.isSeen(at, filter)) return true;
    return false;
  }

  /** True if the recorded changes include the change that made this document. */
  knows(kind: Kind, document: DatedDocument): boolean {
    return this.#documents[kind].lastModified >= document.lastModified || this.#documents[kind].isOf(document);
  }

  /** Adds the visible changes of one document up to this one. False: no change of a single version is known. */
  addChanges(date: ViewDate, kind: Kind, filter: ReleaseFilter, document: DatedDocument): boolean {
    const changes = this.#documents[kind];
    if (changes.isKnown)
      changes.addTo(
        date,
        this.#releases,
        filter,
        changes.isOf(document) ? changes.lastModified : document.lastModified,
      );
    return changes.isKnown;
  }

  /** The date of a document without visible versions, epoch seconds; undefined: it never had one that is known. */
  emptySince(kind: Kind, filter: ReleaseFilter): number | undefined {
    const changes = this.#documents[kind];
    if (filter === 'all') return changes === noChanges ? undefined : changes.lastModified;
    const date = new ViewDate();
    if (changes.isKnown) changes.addTo(date, this.#releases, filter);
    return date.seconds;
  }

  /** The visible changes of one document, oldest first. */
  changesSeen(kind: Kind, filter: ReleaseFilter): readonly RecordedChange[] {
    return this.#documents[kind].seen(this.#releases, filter);
  }

  /** Adds the visible changes of both documents. */
  addAllChanges(date: ViewDate, filter: ReleaseFilter): void {
    this.#documents.stable.addTo(date, this.#releases, filter);
    this.#documents.dev.addTo(date, this.#releases, filter);
  }
}

/** Changes of packages without an index. */
export function addPrunedChanges(date: ViewDate, changes: readonly VersionChange[], filter: ReleaseFilter): void {
  for (const { serial, at, versions } of changes.toReversed()) {
    if (date.dependsOn(serial, at) && versions.some((version) => passes(filter, version))) date.add(serial, at);
  }
}

/** Releases in two columns. Plain arrays: a typed one of a few numbers takes several times its numbers of memory. */
class Releases {
  readonly #versions: readonly string[];
  /** NaN: not known */
  readonly #released: readonly number[];

  constructor(releases: readonly ReleaseFacts[], intern: Intern) {
    this.#versions = releases.map(({ version_normalized: version }) => intern(version));
    this.#released = releases.map(({ releasedMs }) => releasedMs ?? Number.NaN);
  }

  isDev(at: number): boolean {
    return isDevVersion(this.#versions[at] ?? '');
  }

  isSeen(at: number, filter: ReleaseFilter): boolean {
    const releasedMs = this.#released[at] ?? Number.NaN;
    return passes(filter, {
      version_normalized: this.#versions[at] ?? '',
      releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs,
    });
  }
}

const columns = 4;

/** The number of digest digits that distinguish two documents of one package; as a number they take no extra memory. */
const digestDigits = 12;

function digestNumber(digest: string): number {
  return Number.parseInt(digest.slice(0, digestDigits), 16);
}

class RecordedChanges {
  readonly lastModified: number;
  /** false: an older version of Libretto published the document, and it counts as changed as a whole */
  readonly isKnown: boolean;
  /** the document that the last change made; NaN: none */
  readonly #digest: number;
  /** for each change, oldest first: serial, at, last_modified, and the end of its versions */
  readonly #changes: readonly number[];
  /** places of changed releases */
  readonly #versions: readonly number[];

  constructor(stamp: DocumentStamp | null, placeOf: (release: ReleaseFacts) => number) {
    const changes = stamp?.changes ?? [];
    this.lastModified = stamp?.last_modified ?? Number.NEGATIVE_INFINITY;
    this.isKnown = stamp?.changes !== undefined;
    this.#digest = digestNumber(stamp?.sha256 ?? '');
    let end = 0;
    const rows = changes.map(({ serial, at, last_modified, versions }) => [
      serial,
      at,
      last_modified,
      (end += versions.length),
    ]);
    this.#changes =
      stamp !== null && stamp.changes === undefined
        ? [0, stamp.last_modified, stamp.last_modified, everything]
        : rows.flat();
    this.#versions = changes.flatMap(({ versions }) => versions.map(placeOf));
  }

  /** True if the last change made this document. */
  isOf({ digest }: DatedDocument): boolean {
    return this.#digest === digestNumber(digest);
  }

  /** `until`: Last-Modified of the last change that counts. */
  addTo(date: ViewDate, releases: Releases, filter: ReleaseFilter, until = Number.POSITIVE_INFINITY): void {
    for (let row = this.#changes.length - columns; row >= 0; row -= columns) {
      const [serial, at, lastModified] = [
        this.#changes[row] ?? 0,
        this.#changes[row + 1] ?? 0,
        this.#changes[row + 2] ?? 0,
      ];
      // most changes are of publications that others have dated already: their versions need no look
      if (lastModified <= until && date.dependsOn(serial, at) && this.#isSeen(row, releases, filter))
        date.add(serial, at);
    }
  }

  seen(releases: Releases, filter: ReleaseFilter): readonly RecordedChange[] {
    const seen: RecordedChange[] = [];
    for (let row = 0; row < this.#changes.length; row += columns)
      if (this.#isSeen(row, releases, filter))
        seen.push({ serial: this.#changes[row] ?? 0, at: this.#changes[row + 1] ?? 0 });
    return seen;
  }

  #isSeen(row: number, releases: Releases, filter: ReleaseFilter): boolean {
    const end = this.#changes[row + 3] ?? everything;
    if (end === everything) return true;
    for (let at = row === 0 ? 0 : (this.#changes[row - 1] ?? 0); at < end; at += 1)
      if (releases.isSeen(this.#versions[at] ?? 0, filter)) return true;
    return false;
  }
}

/** Marks a change of the whole document, in place of the end of its list of versions. */
const everything = -1;

const noChanges = new RecordedChanges(null, () => 0);

/** Most packages have no document of dev versions: one shared object serves all of them. */
function recordedChanges(stamp: DocumentStamp | null, placeOf: (release: ReleaseFacts) => number): RecordedChanges {
  return stamp === null ? noChanges : new RecordedChanges(stamp, placeOf);
}

/** Remembers at most `capacity` texts, and then starts again. */
export function createIntern(capacity = 20_000): Intern {
  const known = new Map<string, string>();
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= capacity) known.clear();
    known.set(text, text);
    return text;
  };
}
