// A folder of packages as a source: every composer.json below it is a package, except inside another package. A scan
// does not read unchanged packages again. An unreadable folder or a faulty package never stops the others.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { DeflateThreads } from '../../archive/deflate-threads.ts';
import type { Quarantine } from '../../contract/quarantine.ts';
import type { Scan, Source, SourceMemory } from '../release.ts';
import { resolveFolder, withoutSymlinks } from '../root-folder.ts';
import { setDuplicatesAside } from './duplicates.ts';
import { examinePackage, type ExaminedPackage } from './examine-package.ts';
import { createFileReader } from './file-reader.ts';
import { findPackages, type FoundPackages } from './find-packages.ts';
import { createCachedContents, type CachedContents } from './cached-contents.ts';
import { defaultLimits, type PackageLimits } from './limits.ts';
import { createPause } from '../../files/pause.ts';
import { formatMemory, parseMemory, type KnownPackages } from './scan-memory.ts';
import { versionNotices, type UnversionedPackage } from './version-notices.ts';

export interface DirectorySourceOptions {
  /** absolute; may itself be a package */
  readonly root: string;
  /** absolute; never entered, even below the root */
  readonly dataDirectory: string;
  readonly now: () => Date;
  readonly limits?: PackageLimits;
  /** patterns added to every package's `archive.exclude` */
  readonly extraExcludes?: readonly string[];
  /** for scans that read much; without them they read in this thread */
  readonly threads?: DeflateThreads;
}

/** While workers read the files of some packages, this thread walks through others. */
const packagesAtOnce = 32;

export function createDirectorySource(options: DirectorySourceOptions): Source {
  const cachedContents = createCachedContents();
  return {
    scan: (previous) => scan(options, previous, cachedContents),
    close: () => {
      cachedContents.clear();
      return Promise.resolve();
    },
  };
}

async function scan(
  options: DirectorySourceOptions,
  previous: SourceMemory | undefined,
  kept: CachedContents,
): Promise<Scan> {
  const root = resolveFolder(options.root, 'Name the folder with the packages.');
  if ('reason' in root) return { outcome: 'failed', reason: root.reason };
  const dataDirectory = withoutSymlinks(options.dataDirectory);
  if (dataDirectory === root.path)
    return {
      outcome: 'failed',
      reason: `${options.root} is the data folder itself. Name a separate data folder with --data.`,
    };
  const scanStart = options.now().getTime();
  const found = findPackages(root.path, dataDirectory);
  const failure = failureOf(found, options.root);
  if (failure !== undefined) return { outcome: 'failed', reason: failure };

  const known = parseMemory(previous?.detail);
  const pause = createPause();
  const shared = {
    dataDirectory,
    limits: options.limits ?? defaultLimits,
    extraExcludes: options.extraExcludes ?? [],
    pause,
    readFiles: createFileReader(options.threads, pause),
    kept,
    scanStart,
  };
  const limit = pLimit(packagesAtOnce);
  const examine = async (folder: string): Promise<[string, ExaminedPackage]> => [
    folder,
    await examinePackage({ ...shared, folder: join(root.path, folder), known: known.get(folder) }),
  ];
  const examined = new Map(await Promise.all(found.folders.map((folder) => limit(() => examine(folder)))));
  return concludeScan(root.path, found, examined, known, previous);
}

function concludeScan(
  root: string,
  found: FoundPackages,
  examined: ReadonlyMap<string, ExaminedPackage>,
  known: KnownPackages,
  previous: SourceMemory | undefined,
): Scan {
  const all = [...examined.values()];
  const { releases, quarantined: duplicates } = setDuplicatesAside(all.flatMap(({ release }) => release ?? []));
  const hidden = found.unreadable.flatMap((place) => hiddenPackages(root, place, known));
  const quarantined = [
    ...all.flatMap(({ quarantine }) => quarantine ?? []),
    ...duplicates,
    ...hidden.map(({ quarantine }) => quarantine),
  ];
  const remembered = [
    ...[...examined].map(([folder, outcome]) => [folder, outcome.known] as const),
    ...hidden.map(({ folder }) => [folder, known.get(folder)] as const),
  ];
  const memory = formatMemory(
    new Map(remembered.flatMap(([folder, row]) => (row === undefined ? [] : [[folder, row] as const]))),
    quarantined,
  );
  if (quarantined.length === 0 && memory.fingerprint === previous?.fingerprint) return { outcome: 'unchanged' };
  return {
    outcome: 'read',
    releases,
    quarantined,
    notices: [...noticesOf(examined), ...notVersioned(root, examined)],
    memory,
  };
}

/**
 * The packages that an unreadable folder had at the last readable scan, named for the report; if none are known, the
 * folder itself.
 */
function hiddenPackages(
  root: string,
  { folder, reason }: FoundPackages['unreadable'][number],
  known: KnownPackages,
): { readonly folder: string; readonly quarantine: Quarantine }[] {
  const absolute = join(root, folder);
  const quarantine = {
    code: 'UNREADABLE_FILE',
    message: `The folder ${absolute} cannot be read: ${reason}. Its packages are left out.`,
    where: absolute,
  } as const;
  const lost = [...known].filter(([place]) => place === folder || place.startsWith(`${folder}/`));
  if (lost.length === 0) return [{ folder, quarantine: { ...quarantine, name: null, version: null } }];
  return lost.map(([place, { release }]) => ({
    folder: place,
    quarantine: { ...quarantine, name: release.name, version: release.version },
  }));
}

function noticesOf(examined: ReadonlyMap<string, ExaminedPackage>): string[] {
  const places = [...examined].flatMap(([folder, { leftOut }]) =>
    leftOut === undefined ? [] : [folder === '' ? leftOut : `${folder}/${leftOut}`],
  );
  const [first] = places;
  if (first === undefined) return [];
  const more = places.length === 1 ? '' : ` and in ${places.length - 1} more package${places.length === 2 ? '' : 's'}`;
  return [`Folders that start with a dot are not part of a package in a directory source: left out ${first}/${more}.`];
}

function notVersioned(root: string, examined: ReadonlyMap<string, ExaminedPackage>): string[] {
  const all = [...examined].flatMap(([place, { release }]) => (release === undefined ? [] : [join(root, place)]));
  const unversioned: readonly UnversionedPackage[] = [...examined].flatMap(
    ([place, { release, isNewAndUnversioned }]) => {
      if (release === undefined || isNewAndUnversioned !== true) return [];
      const folder = join(root, place);
      return [{ name: release.name, folder, isCheckout: existsSync(join(folder, '.git')) }];
    },
  );
  return versionNotices(root, unversioned, all);
}

/** The reason why the source has nothing to examine, or undefined. */
function failureOf({ folders, unreadable }: FoundPackages, root: string): string | undefined {
  const itself = unreadable.find(({ folder }) => folder === '');
  if (itself !== undefined) return `${root} cannot be read: ${itself.reason}.`;
  if (folders.length > 0) return undefined;
  const hidden =
    unreadable.length === 0
      ? ''
      : ` ${unreadable.length} folder${unreadable.length === 1 ? '' : 's'} could not be read.`;
  return (
    `${root} contains no package: there is no composer.json at any depth. Folders named vendor or node_modules, ` +
    `and folders that start with a dot, are skipped.${hidden}`
  );
}
