// Reads the versions of a feed as a view sees them: of one package from its files, of all packages from the catalogue,
// and then the authors from the files of the chosen ones.

import type { PackageName } from '../../build/contract/name.ts';
import type { Stability } from '../../build/contract/stability.ts';
import type { Catalogue } from '../packages/catalogue.ts';
import { listedVersions } from '../packages/package-summary.ts';
import { readVersions, type ReadVersions } from '../packages/published-package.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import type { View } from '../core/views/view.ts';
import type { AtomEntry } from './write-feed.ts';
import { authorsOf } from './authors.ts';
import { newestOf, newestOfAll } from './newest-versions.ts';

export interface FeedContent {
  /** newest first */
  readonly entries: readonly AtomEntry[];
  /** false: a file of a package could not be read, or is missing */
  readonly isWhole: boolean;
}

interface Wanted {
  /** the least stability */
  readonly least: Stability;
  readonly view: View | undefined;
}

const packagesAtOnce = 16;
const unreadable: ReadVersions = { versions: [], faults: [], isWhole: false };

/** undefined: the view sees no version of the package. Rejects for a damaged file that concerns the view. */
export async function readOnePackage(
  files: PublishedFiles,
  name: PackageName,
  { least, view }: Wanted,
): Promise<FeedContent | undefined> {
  const read = await readVersions(files, name, view);
  if (read.faults.length > 0) throw read.faults[0];
  if (read.versions.length === 0) return undefined;
  const newest = newestOf(name, listedVersions(read.versions), least);
  return { entries: withAuthors(newest, new Map([[name, read]])), isWhole: read.isWhole };
}

export async function readAllPackages(
  { catalogue, published }: { readonly catalogue: Catalogue; readonly published: PublishedFiles },
  { least, view }: Wanted,
  nowMs: number,
): Promise<FeedContent> {
  const { all, versionsOf } = await catalogue.read(nowMs, view);
  const newest = await newestOfAll({ names: all.keys(), versionsOf }, least);
  const names = [...new Set(newest.map(({ name }) => name))];
  const packages = new Map<PackageName, ReadVersions>();
  for (let from = 0; from < names.length; from += packagesAtOnce) {
    const chunk = names.slice(from, from + packagesAtOnce);
    // one damaged package must not hide all others: it has no authors then
    const read = await Promise.all(chunk.map((name) => readVersions(published, name, view).catch(() => unreadable)));
    for (const [at, name] of chunk.entries()) packages.set(name, read[at] ?? unreadable);
  }
  const isWhole = [...packages.values()].every((read) => read.isWhole && read.faults.length === 0);
  const unread = await catalogue.unread(nowMs);
  return { entries: withAuthors(newest, packages), isWhole: isWhole && unread.length === 0 };
}

function withAuthors(
  newest: readonly Omit<AtomEntry, 'authors'>[],
  packages: ReadonlyMap<PackageName, ReadVersions>,
): readonly AtomEntry[] {
  return newest.map(({ name, listed }) => {
    const found = packages.get(name)?.versions.find(({ entry }) => entry.version === listed.version);
    return { name, listed, authors: found === undefined ? [] : authorsOf(found.record) };
  });
}
