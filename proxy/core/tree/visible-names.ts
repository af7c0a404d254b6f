// Finds the packages of a publication that a view sees: their names, the time of their last change, and whether a
// request reads the files of a package. The serving indexes are read once for each view and publication. A request for
// a hidden package then reads no file, like one for a package that was never published (I14). A few packages are read
// at a time, so that other requests get their turn.

import type { PackageName } from '../../../build/contract/name.ts';
import { rootDocumentPath } from '../../../build/contract/paths.ts';
import type { Publication } from '../../../build/contract/publication.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { patienceMs, withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import { ViewDate } from '../views/view-date.ts';
import { filterOf, type View } from '../views/view.ts';
import { DocumentReleases, readDocumentReleases } from './document-releases.ts';
import { addPrunedChanges, type PackageReleases } from './package-releases.ts';
import { parseNames } from './published-files.ts';
import type { PackagePart, PlainFiles, TreeFiles, VisibleList, VisiblePackages } from './tree-files.ts';

type Files = Pick<TreeFiles, 'publication' | 'document' | 'releases'>;

const packagesAtOnce = 32;
/** number of packages examined before the function yields to other requests */
const packagesInTurn = 256;
/** the memory of one name in a set */
const nameBytes = 32;

interface Published {
  readonly epoch: number;
  readonly publication: Publication | undefined;
  /** those in packages.json */
  readonly names: ReadonlySet<PackageName>;
}

interface Seen extends VisibleList {
  readonly epoch: number;
  /**
   * further packages of which archives may be seen: their visible versions are withdrawn, or their index is unusable
   */
  readonly archived: ReadonlySet<PackageName>;
}

/** `limitBytes`: memory for the names that views see. */
export function withVisibleNames(files: PlainFiles, limitBytes: number): TreeFiles {
  return { ...files, visible: new VisibleNames(files, limitBytes) };
}

class VisibleNames implements VisiblePackages {
  readonly #files: Files;
  readonly #seen: ByteCache<Seen>;
  readonly #finding = new SingleFlight<Seen>();
  #published: Published | undefined;

  constructor(files: Files, limitBytes: number) {
    this.#files = files;
    this.#seen = new ByteCache(limitBytes);
  }

  of(view: View | undefined, epoch: number): MaybeAsync<VisibleList> {
    return andThen(this.#publishedAt(epoch), (published) =>
      view === undefined ? { listed: published.names, seconds: undefined } : this.#seenBy(view, published),
    );
  }

  shows(view: View | undefined, name: PackageName, part: PackagePart, epoch: number): MaybeAsync<boolean> {
    const filter = filterOf(view, name);
    if (view === undefined || typeof filter !== 'function') return filter === 'all';
    const byFiles = (): boolean => true;
    const isShown = ({ listed, archived }: Seen): boolean =>
      listed.has(name) || (part === 'archives' && archived.has(name));
    const decide = (published: Published): MaybeAsync<boolean> => {
      // an older version of Libretto did not announce withdrawn packages, and a tree may have no announcement
      if (published.publication?.withdrawn === undefined) return true;
      const seen = this.#seenBy(view, published);
      return seen instanceof Promise ? withDeadline(seen.then(isShown, byFiles), patienceMs, byFiles) : isShown(seen);
    };
    return andThen(this.#publishedAt(epoch), decide, byFiles);
  }

  #publishedAt(epoch: number): MaybeAsync<Published> {
    if (this.#published?.epoch === epoch) return this.#published;
    return andThen(this.#files.document(rootDocumentPath, epoch), async (root) => {
      const publication = await this.#files.publication();
      return (this.#published = { epoch, publication, names: new Set(parseNames(root?.bytes)) });
    });
  }

  #seenBy(view: View, published: Published): MaybeAsync<Seen> {
    const known = this.#seen.get(view.key);
    if (known?.epoch === published.epoch) return known;
    return this.#finding.run(view.key, () => this.#find(view, published), [published.epoch]);
  }

  async #find(view: View, { publication, names, epoch }: Published): Promise<Seen> {
    const [date, listed, archived] = [new ViewDate(), new Set<PackageName>(), new Set<PackageName>()];
    if (publication !== undefined) addRootFields(date, publication);
    for (const [name, changes] of Object.entries(publication?.pruned ?? {}))
      addPrunedChanges(date, changes, view.filterOf(name));
    // a caller who saw a withdrawn package has another list since then
    const named = [...(publication?.withdrawn ?? []), ...names].filter((name) => view.filterOf(name) !== 'none');
    await readReleases(named, { files: this.#files, view, epoch }, (name, releases) => {
      const filter = view.filterOf(name);
      const isUnusable = releases instanceof DocumentReleases;
      const isSeen = filter === 'all' || (isUnusable ? releases.isSeen : releases?.isSeen(filter) === true);
      if (isSeen && names.has(name)) listed.add(name);
      else if (isUnusable || releases?.isSeen(filter, 'archives') === true) archived.add(name);
      if (isUnusable) releases.addTo(date);
      else releases?.addAllChanges(date, filter);
    });
    const seen: Seen = { epoch, listed, archived, seconds: date.seconds };
    this.#seen.set(view.key, seen, 512 + (listed.size + archived.size) * nameBytes);
    return seen;
  }
}

/** The change of names and other keys together, from an announcement of an older version of Libretto. */
function addRootFields(date: ViewDate, { root }: Publication): void {
  for (const { serial, at } of root.beside?.changes ?? [{ serial: 0, at: root.last_modified }]) date.add(serial, at);
}

type Releases = PackageReleases | DocumentReleases | undefined;

interface ReleaseParts {
  readonly files: Files;
  readonly view: View;
  readonly epoch: number;
}

/** If an index is unusable, `found` gets the data of the documents. */
async function readReleases(
  names: readonly PackageName[],
  { files, view, epoch }: ReleaseParts,
  found: (name: PackageName, releases: Releases) => void,
): Promise<void> {
  for (let from = 0; from < names.length; from += packagesAtOnce) {
    const chunk = names.slice(from, from + packagesAtOnce);
    const reads: MaybeAsync<Releases>[] = chunk.map((name) => {
      const releases = files.releases(name, epoch);
      return releases instanceof Promise
        ? releases.catch(() => readDocumentReleases(files, name, view.filterOf(name), epoch))
        : releases;
    });
    // mostly they are in memory, and thousands of promises would cost more than looking
    const releases = reads.some((one) => one instanceof Promise) ? await Promise.all(reads) : (reads as Releases[]);
    for (const [at, name] of chunk.entries()) found(name, releases[at]);
    if (from % packagesInTurn === 0) await new Promise(setImmediate);
  }
}
