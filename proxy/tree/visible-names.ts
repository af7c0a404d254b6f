// Finds the names of all packages that a view sees, and the time of their last change. The versions of a package are
// read only if the view's patterns match its name. A few packages are read at a time, so that other requests get their
// turn.

import type { PackageName } from '../../build/contract/name.ts';
import type { Publication } from '../../build/contract/publication.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { ViewDate } from '../views/view-date.ts';
import type { View } from '../views/view.ts';
import { DocumentReleases, readDocumentReleases } from './document-releases.ts';
import { addPrunedChanges, PackageReleases } from './package-releases.ts';
import type { TreeFiles } from './tree-files.ts';

const packagesAtOnce = 32;
/** number of packages examined before the function yields to other requests */
const packagesInTurn = 256;

export interface VisibleNames {
  /** in the order of the input */
  readonly seen: readonly PackageName[];
  /** epoch seconds; undefined before the first publication */
  readonly seconds: number | undefined;
}

/** `names`: those in packages.json of `publication`. */
export async function visibleNames(
  names: readonly PackageName[],
  publication: Publication | undefined,
  view: View,
  files: Looker['files'],
  epoch: number,
): Promise<VisibleNames> {
  const date = new ViewDate();
  if (publication !== undefined) addRootFields(date, publication);
  for (const [name, changes] of Object.entries(publication?.pruned ?? {}))
    addPrunedChanges(date, changes, view.filterOf(name));
  const isNamed = (name: PackageName): boolean => view.filterOf(name) !== 'none';
  // a caller who saw a withdrawn package has another list since then
  await look((publication?.withdrawn ?? []).filter(isNamed), { files, view, epoch }, (name, releases) => {
    if (releases instanceof PackageReleases) releases.addAllChanges(date, view.filterOf(name));
  });
  const seen: PackageName[] = [];
  await look(names.filter(isNamed), { files, view, epoch }, (name, releases) => {
    const filter = view.filterOf(name);
    if (releases instanceof DocumentReleases) {
      if (filter === 'all' || releases.isSeen) seen.push(name);
      releases.addTo(date);
      return;
    }
    if (filter === 'all' || releases?.isSeen(filter) === true) seen.push(name);
    releases?.addAllChanges(date, filter);
  });
  return { seen, seconds: date.seconds };
}

/** The change of names and other keys together, from an announcement of an older version of Libretto. */
function addRootFields(date: ViewDate, { root }: Publication): void {
  for (const { serial, at } of root.beside?.changes ?? [{ serial: 0, at: root.last_modified }]) date.add(serial, at);
}

type Releases = PackageReleases | DocumentReleases | undefined;

interface Looker {
  readonly files: Pick<TreeFiles, 'releases' | 'document'>;
  readonly view: View;
  readonly epoch: number;
}

/** If an index is unusable, `found` gets the data of the documents. */
async function look(
  names: readonly PackageName[],
  { files, view, epoch }: Looker,
  found: (name: PackageName, releases: Releases) => void,
): Promise<void> {
  for (let from = 0; from < names.length; from += packagesAtOnce) {
    const chunk = names.slice(from, from + packagesAtOnce);
    const looked: MaybeAsync<Releases>[] = chunk.map((name) => {
      const releases = files.releases(name, epoch);
      return releases instanceof Promise
        ? releases.catch(() => readDocumentReleases(files, name, view.filterOf(name), epoch))
        : releases;
    });
    // mostly they are in memory, and thousands of promises would cost more than looking
    const releases = looked.some((one) => one instanceof Promise) ? await Promise.all(looked) : (looked as Releases[]);
    for (const [at, name] of chunk.entries()) found(name, releases[at]);
    if (from % packagesInTurn === 0) await new Promise(setImmediate);
  }
}
