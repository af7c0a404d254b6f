// The versions of one package as views look at them, and nothing else: which are published, and which publications changed which of them. Small enough to
// keep those of every package.

import type { DocumentStamp, PackageIndex } from '../../build/contract/serving-index.ts';
import type { VersionChange } from '../../build/contract/version-changes.ts';
import type { DatedChange } from '../views/view-date.ts';
import { passes, releaseOf, type Release, type ReleaseFilter } from '../views/view.ts';

type Kind = 'stable' | 'dev';
type Intern = (text: string) => string;

export class PackageReleases {
  readonly #published: Releases;
  readonly #documents: { readonly [Each in Kind]: KeptChanges };

  /** `intern`: one text for all equal ones, since every package has its 1.0.0.0. */
  constructor({ versions, documents }: Pick<PackageIndex, 'versions' | 'documents'>, intern: Intern) {
    this.#published = new Releases(versions.filter(({ state }) => state === 'published').map(releaseOf), intern);
    this.#documents = { stable: new KeptChanges(documents.stable, intern), dev: new KeptChanges(documents.dev, intern) };
  }

  /** Whether somebody with this view of the package sees that it is there. */
  isSeen(filter: ReleaseFilter): boolean {
    if (filter === 'all' || filter === 'none') return filter === 'all' && this.#published.size > 0;
    return this.#published.some(0, this.#published.size, filter);
  }

  /** Whether the changes of a document are known up to the one that was published with this Last-Modified, epoch seconds. */
  knows(kind: Kind, lastModified: number): boolean {
    return this.#documents[kind].lastModified >= lastModified;
  }

  /** Changes of one document that are seen, newest first, up to this Last-Modified. undefined: nothing is known of single versions. */
  changesOf(kind: Kind, filter: ReleaseFilter, lastModified: number): Iterable<DatedChange> | undefined {
    const changes = this.#documents[kind];
    return changes.isKnown ? changes.seen(filter, lastModified) : undefined;
  }

  /** Changes of both documents that are seen, of each newest first. */
  allChanges(filter: ReleaseFilter): readonly Iterable<DatedChange>[] {
    return [this.#documents.stable.seen(filter), this.#documents.dev.seen(filter)];
  }
}

/** Changes of packages whose index is gone. */
export function prunedChanges(changes: readonly VersionChange[], filter: ReleaseFilter): Iterable<DatedChange> {
  return changes.filter(({ versions }) => versions.some((version) => passes(filter, version))).toReversed();
}

/** Releases in two columns. */
class Releases {
  readonly #versions: readonly string[];
  /** NaN: not known */
  readonly #released: Float64Array;

  constructor(releases: readonly Release[], intern: Intern) {
    this.#versions = releases.map(({ version_normalized: version }) => intern(version));
    this.#released = Float64Array.from(releases, ({ releasedMs }) => releasedMs ?? Number.NaN);
  }

  get size(): number {
    return this.#versions.length;
  }

  /** Whether one of those from `from` and before `to` passes. */
  some(from: number, to: number, filter: ReleaseFilter): boolean {
    for (let at = from; at < to; at += 1) {
      const releasedMs = this.#released[at] ?? Number.NaN;
      if (passes(filter, { version_normalized: this.#versions[at] ?? '', releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs })) return true;
    }
    return false;
  }
}

const columns = 4;

class KeptChanges {
  readonly lastModified: number;
  /** false: an older version of Libretto published the document, and it counts as changed as a whole */
  readonly isKnown: boolean;
  /** of each change: serial, at, last_modified, and where its versions end */
  readonly #changes: Float64Array;
  readonly #releases: Releases;

  constructor(stamp: DocumentStamp | null, intern: Intern) {
    const changes = stamp?.changes ?? [];
    this.lastModified = stamp?.last_modified ?? Number.NEGATIVE_INFINITY;
    this.isKnown = stamp?.changes !== undefined;
    let end = 0;
    const rows = changes.map(({ serial, at, last_modified, versions }) => [serial, at, last_modified, (end += versions.length)]);
    this.#changes = Float64Array.from(stamp !== null && stamp.changes === undefined ? [0, stamp.last_modified, stamp.last_modified, -1] : rows.flat());
    this.#releases = new Releases(changes.flatMap(({ versions }) => versions), intern);
  }

  *seen(filter: ReleaseFilter, until = Number.POSITIVE_INFINITY): Generator<DatedChange> {
    for (let row = this.#changes.length - columns; row >= 0; row -= columns) {
      const [serial = 0, at = 0, lastModified = 0, end = 0] = this.#changes.subarray(row, row + columns);
      const start = row === 0 ? 0 : (this.#changes[row - 1] ?? 0);
      if (lastModified <= until && (end === -1 || this.#releases.some(start, end, filter))) yield { serial, at };
    }
  }
}

/** At most `capacity` texts are remembered; it begins anew then. */
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
