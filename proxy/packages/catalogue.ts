// The catalogue of all published packages, for lists and searches. The first request after a publication updates the
// catalogue, and reads only the changed packages. Checking thousands of files happens a few at a time, so that
// Composer's requests get their turn in between.

import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { findDependents, type DependentsOf } from './dependents.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import { listedVersions, summaryOf, type ListedVersion, type PackageSummary } from './package-summary.ts';
import { parseNames, type PublishedFiles, type PublishedPath } from '../core/tree/published-files.ts';
import { readVersions } from './published-package.ts';

export interface PublishedPackages {
  /** sorted by name */
  readonly all: ReadonlyMap<PackageName, PackageSummary>;
  /** labels of the versions that are seen */
  readonly labelsOf: (name: string) => readonly string[];
  /** the versions that are seen, newest first */
  readonly versionsOf: (name: string) => readonly ListedVersion[];
  readonly dependentsOf: DependentsOf;
}

export type Catalogue = ReturnType<typeof createCatalogue>;

type Stamps = readonly (string | undefined)[] | undefined;

interface Kept {
  /** undefined: not known */
  readonly stamps: Stamps;
  readonly listed: ListedPackage | undefined;
  /** false: a file of the package could not be read, or is missing */
  readonly isRead: boolean;
}

type Listed = ReadonlyMap<PackageName, ListedPackage>;

/** All packages, in the state of the last check. */
interface Looked {
  readonly kept: ReadonlyMap<PackageName, Kept>;
  readonly listed: Listed;
  /** names of the packages that were not read */
  readonly unread: readonly PackageName[];
  /** time of the last attempt, epoch milliseconds */
  readonly triedMs: number;
}

const packagesAtOnce = 32;
const retryMs = 1000;
/**
 * The number of views whose packages are cached. Finding them again takes milliseconds, and the summaries of partly
 * visible packages can be as large as all others.
 */
const rememberedViews = 8;

export function createCatalogue(files: PublishedFiles) {
  let last: Looked = { kept: new Map(), listed: new Map(), unread: [], triedMs: 0 };
  let current: { readonly epoch: number; readonly looked: Promise<Looked> } | undefined;
  const views = new Map<string, { readonly of: Listed; readonly packages: Promise<PublishedPackages> }>();

  const refresh = async (nowMs: number): Promise<Looked> =>
    (last = looked(await lookAt(files, await readPublishedNames(files), last.kept, true), nowMs));
  const lookAgain = async (before: Looked, nowMs: number): Promise<Looked> =>
    before.unread.length === 0 ? before : (last = await retryUnread(files, before, nowMs));
  const listPackages = async (epoch: number, nowMs: number): Promise<Listed> => {
    // no SingleFlight: the checks run one after the other, and each starts from the result of the one before
    const looking =
      current?.epoch === epoch ? current.looked.then((before) => lookAgain(before, nowMs)) : refresh(nowMs);
    current = { epoch, looked: looking };
    looking.catch(() => {
      if (current?.looked === looking) current = undefined; // the next caller tries again
    });
    return (await looking).listed;
  };
  const seenBy = (view: View | undefined, listed: Listed): Promise<PublishedPackages> => {
    const key = view === undefined ? '' : `view ${view.key}`;
    const known = views.get(key);
    views.delete(key);
    const found = known?.of === listed ? known : { of: listed, packages: gather(listed, view) };
    views.set(key, found);
    const [oldest] = views.keys();
    if (views.size > rememberedViews && oldest !== undefined) views.delete(oldest);
    return found.packages;
  };

  return {
    /** The packages of the last publication that `view` sees; undefined: all. */
    read: async (nowMs: number, view?: View) => seenBy(view, await listPackages(await files.epoch(nowMs), nowMs)),
    /** The published packages that could not be read: a file of each is missing or damaged. */
    unread: async (nowMs: number): Promise<readonly PackageName[]> => {
      await listPackages(await files.epoch(nowMs), nowMs);
      return last.unread;
    },
  };
}

/** The names in packages.json, sorted. Rejects with UnusableFile for a damaged one. */
export async function readPublishedNames(files: PublishedFiles): Promise<readonly PackageName[]> {
  return parseNames(await files.read(`public/${rootDocumentPath}`)).toSorted();
}

function looked(kept: ReadonlyMap<PackageName, Kept>, triedMs: number): Looked {
  const all = [...kept];
  return {
    kept,
    listed: new Map(all.flatMap(([name, { listed }]) => (listed === undefined ? [] : [[name, listed] as const]))),
    unread: all.flatMap(([name, { isRead }]) => (isRead ? [] : [name])),
    triedMs,
  };
}

/**
 * A repaired document returns its package to the lists, without a publication. Each request checks a few unread
 * packages, and reads them if one of their files has changed. All are read once a second.
 */
async function retryUnread(files: PublishedFiles, before: Looked, nowMs: number): Promise<Looked> {
  const isDue = Math.abs(nowMs - before.triedMs) >= retryMs;
  if (!isDue && before.unread.length > packagesAtOnce) return before;
  const found = await lookAt(files, before.unread, before.kept, isDue);
  const changed = [...found].filter(([name, now]) => now !== before.kept.get(name));
  if (changed.length === 0) return isDue ? { ...before, triedMs: nowMs } : before;
  const now = looked(new Map([...before.kept, ...changed]), isDue ? nowMs : before.triedMs);
  const isSame = changed.every(([name, { listed }]) => listed === before.kept.get(name)?.listed);
  return isSame ? { ...now, listed: before.listed } : now; // keeps the results cached for views
}

/** `isDue`: packages that could not be read are read, whether their files have changed or not. */
async function lookAt(
  files: PublishedFiles,
  names: readonly PackageName[],
  known: ReadonlyMap<PackageName, Kept>,
  isDue: boolean,
): Promise<ReadonlyMap<PackageName, Kept>> {
  const found = new Map<PackageName, Kept>();
  for (let from = 0; from < names.length; from += packagesAtOnce) {
    const chunk = names.slice(from, from + packagesAtOnce);
    const read = await Promise.all(chunk.map((name) => look(files, name, known.get(name), isDue)));
    for (const [at, name] of chunk.entries()) found.set(name, read[at] as Kept);
  }
  return found;
}

/** A check without a change also yields its turn. */
async function look(files: PublishedFiles, name: PackageName, known: Kept | undefined, isDue: boolean): Promise<Kept> {
  const paths: readonly PublishedPath[] = [
    `public/${providerPath(name, 'stable')}`,
    `public/${providerPath(name, 'dev')}`,
    `index/${indexPath(name)}`,
  ];
  const stamps = await Promise.resolve(files.stamps(paths)).catch(() => undefined);
  if (known !== undefined && sameStamps(known.stamps, stamps) && (known.isRead || !isDue)) {
    await new Promise(setImmediate);
    return known;
  }
  try {
    // a damaged document must not hide the versions of the other one
    const { versions: published, faults, isWhole } = await readVersions(files, name);
    const versions = listedVersions(published);
    const summary = summaryOf(name, versions);
    const listed = summary === undefined ? undefined : { summary, versions };
    if (faults.length > 0) return { stamps, listed: listed ?? known?.listed, isRead: false };
    return { stamps, listed, isRead: stamps !== undefined && listed !== undefined && isWhole };
  } catch {
    // one damaged file must not hide all other packages; a request for this package gets the error
    return { stamps, listed: known?.listed, isRead: false };
  }
}

function sameStamps(one: Stamps, other: Stamps): boolean {
  return one === other || (one !== undefined && other?.every((stamp, at) => stamp === one[at]) === true);
}

async function gather(listed: Listed, view: View | undefined): Promise<PublishedPackages> {
  const versionsOf = (name: string): readonly ListedVersion[] => {
    const filter = filterOf(view, name);
    const versions = listed.get(name as PackageName)?.versions ?? [];
    return filter === 'all' ? versions : versions.filter((version) => passes(filter, version));
  };
  const labelsOf = (name: string): readonly string[] => versionsOf(name).map(({ version }) => version);
  const all =
    view === undefined
      ? new Map([...listed].map(([name, { summary }]) => [name, summary]))
      : await visiblePackages(listed, view);
  return { all, labelsOf, versionsOf, dependentsOf: findDependents(all) };
}

/**
 * The other packages that provide or replace `name`; sorted. Composer takes any name with providers for a virtual one.
 */
export function providersOf({ all }: Pick<PublishedPackages, 'all'>, name: string): readonly PackageSummary[] {
  return [...all.values()].filter((summary) => summary.name !== name && summary.provides.has(name));
}

// Lists the published packages that a view sees. The newest visible version provides the description of a package
// (I14).

interface ListedPackage {
  /** the summary of all its versions */
  readonly summary: PackageSummary;
  /** newest first */
  readonly versions: readonly ListedVersion[];
}

/** This number takes a few milliseconds; then other requests get their turn. */
const versionsInTurn = 1000;

/** Returns packages in the order of `listed`. */
async function visiblePackages(
  listed: ReadonlyMap<PackageName, ListedPackage>,
  view: View,
): Promise<ReadonlyMap<PackageName, PackageSummary>> {
  const visible = new Map<PackageName, PackageSummary>();
  let left = versionsInTurn;
  for (const [name, found] of listed) {
    if ((left -= found.versions.length) < 0) {
      await new Promise(setImmediate);
      left = versionsInTurn;
    }
    const summary = visibleSummary(name, found, view);
    if (summary !== undefined) visible.set(name, summary);
  }
  return visible;
}

/** undefined: the view sees none of its versions. */
function visibleSummary(
  name: PackageName,
  { summary, versions }: ListedPackage,
  view: View,
): PackageSummary | undefined {
  const filter = view.filterOf(name);
  if (filter === 'all') return summary;
  if (filter === 'none') return undefined;
  const seen = versions.filter((version) => passes(filter, version));
  return seen.length === versions.length ? summary : summaryOf(name, seen);
}
