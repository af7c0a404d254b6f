// All published packages, as lists and searches need them. It is brought up to date by whoever asks first after a
// publication, and then only what that publication changed is read: thousands of packages cost a look at their files, a
// few at a time, so that requests of Composer's get their turn.

import { isJsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { sees, type View } from '../views/view.ts';
import { listedVersions, summaryOf, type PackageSummary } from './package-summary.ts';
import { parsePublished, type PublishedFiles, type PublishedPath } from '../tree/published-files.ts';
import { readPublishedPackage } from './published-package.ts';
import { visiblePackages, type ListedPackage } from './visible-packages.ts';

export interface PublishedPackages {
  /** by name, sorted */
  readonly all: ReadonlyMap<PackageName, PackageSummary>;
  /** labels of the versions that are seen */
  readonly labelsOf: (name: string) => readonly string[];
}

export interface Catalogue {
  /** As of the last publication, as far as `view` goes; undefined: all of it. */
  readonly read: (nowMs: number, view?: View) => Promise<PublishedPackages>;
}

interface Kept {
  /** undefined: to be read again */
  readonly stamps: readonly (string | undefined)[] | undefined;
  readonly listed: ListedPackage | undefined;
}

type Listed = ReadonlyMap<PackageName, ListedPackage>;

const packagesAtOnce = 32;
/**
 * Views whose packages are remembered. To find them again takes milliseconds, and what is made of versions that are
 * seen in part can be as large as all the rest.
 */
const rememberedViews = 8;

export function createCatalogue(files: PublishedFiles): Catalogue {
  let kept = new Map<PackageName, Kept>();
  let current: { readonly epoch: number; readonly packages: Promise<Listed> } | undefined;
  const views = new Map<string, { readonly of: Listed; readonly packages: Promise<PublishedPackages> }>();

  const refresh = async (): Promise<Listed> => {
    const names = await readNames(files);
    const next = new Map<PackageName, Kept>();
    for (let from = 0; from < names.length; from += packagesAtOnce) {
      const chunk = names.slice(from, from + packagesAtOnce);
      const read = await Promise.all(chunk.map((name) => look(files, name, kept.get(name))));
      for (const [at, name] of chunk.entries()) next.set(name, read[at] as Kept);
    }
    kept = next;
    return new Map([...next].flatMap(([name, { listed }]) => (listed === undefined ? [] : [[name, listed] as const])));
  };
  const listPackages = (epoch: number): Promise<Listed> => {
    if (current?.epoch === epoch) return current.packages;
    const packages = refresh();
    current = { epoch, packages };
    packages.catch(() => {
      if (current?.packages === packages) current = undefined; // whoever asks next tries again
    });
    return packages;
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

  return { read: async (nowMs, view) => seenBy(view, await listPackages(await files.epoch(nowMs))) };
}

async function readNames(files: PublishedFiles): Promise<readonly PackageName[]> {
  const names = await parsePublished(files, `public/${rootDocumentPath}`, (text): readonly unknown[] => {
    const json: unknown = JSON.parse(text);
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    return Array.isArray(list) ? list : [];
  });
  return names.flatMap((name) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : [])).toSorted();
}

/** A look that came to nothing new gives up its turn as well. */
async function look(files: PublishedFiles, name: PackageName, known: Kept | undefined): Promise<Kept> {
  const paths: readonly PublishedPath[] = [
    `public/${providerPath(name, 'stable')}`,
    `public/${providerPath(name, 'dev')}`,
    `index/${indexPath(name)}`,
  ];
  const stamps = await Promise.resolve(files.stamps(paths)).catch(() => undefined);
  if (known?.stamps !== undefined && stamps?.every((stamp, at) => stamp === known.stamps?.[at]) === true) {
    await new Promise(setImmediate);
    return known;
  }
  try {
    const versions = listedVersions(await readPublishedPackage(files, name));
    const summary = summaryOf(name, versions);
    return { stamps, listed: summary === undefined ? undefined : { summary, versions } };
  } catch {
    // one damaged file must not hide all other packages; whoever asks for this one is told
    return { stamps: undefined, listed: known?.listed };
  }
}

async function gather(listed: Listed, view: View | undefined): Promise<PublishedPackages> {
  const labelsOf = (name: string): readonly string[] => {
    const versions = listed.get(name as PackageName)?.versions ?? [];
    return versions.filter((version) => sees(view, name, version)).map(({ version }) => version);
  };
  return {
    all:
      view === undefined
        ? new Map([...listed].map(([name, { summary }]) => [name, summary]))
        : await visiblePackages(listed, view),
    labelsOf,
  };
}

/** The packages that require `name` in one of their versions, sorted. */
export function dependentsOf({ all }: Pick<PublishedPackages, 'all'>, name: string): readonly PackageName[] {
  return [...all.values()].flatMap((summary) => (summary.requires.has(name) ? [summary.name] : []));
}

/**
 * The packages that stand for `name` in one of their versions, by `provide` or `replace`, and are another one; sorted.
 */
export function providersOf({ all }: Pick<PublishedPackages, 'all'>, name: string): readonly PackageSummary[] {
  return [...all.values()].filter((summary) => summary.name !== name && summary.provides.has(name));
}
