// All published packages, as lists and searches need them. It is brought up to date by whoever asks first after a publication, and then only what
// that publication changed is read: thousands of packages cost a look at their files, a few at a time, so that requests of Composer's get their turn.

import { join } from 'node:path';
import { isJsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { sameStamp, stampFile, type FileStamp } from '../protocol/file-stamp.ts';
import { PublicationWatch } from '../protocol/publication-watch.ts';
import { summaryOf, type PackageSummary } from './package-summary.ts';
import { parseFile, readPublishedPackage } from './published-package.ts';

export interface PublishedPackages {
  /** by name, sorted */
  readonly all: ReadonlyMap<PackageName, PackageSummary>;
  /** name → the packages that require it in one of their versions, sorted */
  readonly dependents: ReadonlyMap<string, readonly PackageName[]>;
}

export interface Catalogue {
  /** As of the last publication. */
  readonly read: (nowMs: number) => Promise<PublishedPackages>;
}

interface Kept {
  readonly stamps: readonly (FileStamp | undefined)[];
  readonly summary: PackageSummary | undefined;
}

const packagesAtOnce = 32;

export function createCatalogue(dataDirectory: string): Catalogue {
  // whoever serves the documents tells of a newer publication; here the one before stays
  const watch = new PublicationWatch(join(dataDirectory, 'index'), () => undefined);
  let kept = new Map<PackageName, Kept>();
  let current: { readonly epoch: number; readonly packages: Promise<PublishedPackages> } | undefined;

  const refresh = async (): Promise<PublishedPackages> => {
    const names = await readNames(dataDirectory);
    const next = new Map<PackageName, Kept>();
    for (let from = 0; from < names.length; from += packagesAtOnce) {
      const chunk = names.slice(from, from + packagesAtOnce);
      const read = await Promise.all(chunk.map((name) => look(dataDirectory, name, kept.get(name))));
      for (const [at, name] of chunk.entries()) next.set(name, read[at] as Kept);
    }
    kept = next;
    return gather(next);
  };

  return {
    read: (nowMs) => {
      const epoch = watch.epoch(nowMs);
      if (current?.epoch === epoch) return current.packages;
      const packages = refresh();
      current = { epoch, packages };
      packages.catch(() => {
        if (current?.packages === packages) current = undefined; // whoever asks next tries again
      });
      return packages;
    },
  };
}

async function readNames(dataDirectory: string): Promise<readonly PackageName[]> {
  const names = await parseFile(join(dataDirectory, 'public', rootDocumentPath), (text): readonly unknown[] => {
    const json: unknown = JSON.parse(text);
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    return Array.isArray(list) ? list : [];
  });
  return names.flatMap((name) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : [])).toSorted();
}

/** A look that came to nothing new gives up its turn as well. */
async function look(dataDirectory: string, name: PackageName, known: Kept | undefined): Promise<Kept> {
  const paths = [join(dataDirectory, 'public', providerPath(name, 'stable')), join(dataDirectory, 'public', providerPath(name, 'dev')), join(dataDirectory, 'index', indexPath(name))];
  const stamps = paths.map((path) => stampFile(path));
  if (known !== undefined && stamps.every((stamp, at) => (stamp === undefined ? known.stamps[at] === undefined : sameStamp(stamp, known.stamps[at])))) {
    await new Promise(setImmediate);
    return known;
  }
  try {
    return { stamps, summary: summaryOf(name, await readPublishedPackage(dataDirectory, name)) };
  } catch {
    return { stamps: [], summary: known?.summary }; // one damaged file must not hide all other packages; whoever asks for this one is told
  }
}

function gather(kept: ReadonlyMap<PackageName, Kept>): PublishedPackages {
  const all = new Map<PackageName, PackageSummary>();
  const dependents = new Map<string, PackageName[]>();
  for (const [name, { summary }] of kept) {
    if (summary === undefined) continue;
    all.set(name, summary);
    for (const required of summary.requires) {
      const known = dependents.get(required);
      if (known === undefined) dependents.set(required, [name]);
      else known.push(name);
    }
  }
  return { all, dependents };
}
