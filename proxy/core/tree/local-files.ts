// The output tree in a folder. Reads `public/` and `index/`, and from the builder's folder only the serial of its
// manifest, to check an uncertain document. Each file is read once; a publication takes effect with the next request.

import { join } from 'node:path';
import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath, publicationPath, rootDocumentPath, type PublicPath } from '../../../build/contract/paths.ts';
import { purgedPath } from '../../../build/contract/purged.ts';
import { parsePackageIndex, parseDocumentStamps } from '../../../build/contract/serving-index.ts';
import { ArchiveStore } from './archive-store.ts';
import { TextDocument } from '../http/document.ts';
import { FileCache } from '../../../build/shared/caches/file-cache.ts';
import { sameStamp, stampFile } from '../../../build/shared/files/file-stamp.ts';
import { createListedNames, type ListedNames } from './listed-names.ts';
import { PackageArchives } from './package-archives.ts';
import { createIntern, PackageReleases } from './package-releases.ts';
import { PublicationWatch } from './publication-watch.ts';
import { createReadDocument, publishedTree } from './published-documents.ts';
import type { PlainFiles, TreeFiles } from './tree-files.ts';
import { withVisibleNames } from './visible-names.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { checkAbsence, isPublished, providerOf } from './document-check.ts';
import { hasDocument, missingIndex } from './missing-index.ts';

// Detects published documents and indexes whose files are missing. A deleted file is as damaged as a truncated one: a
// server must not answer that the package is unpublished.
//
// A request for a name that was never published costs a stat of the index, and a lookup in packages.json. A request for
// a document that a published package lacks, for example of dev versions, costs a lookup in memory.

/** The documents that a package has, by its index. */
type Documents = { readonly [Kind in 'stable' | 'dev']: boolean };

const bytesOfEntry = 64;

/** `dataDirectory`: holds `public/` and `index/`. `limitBytes`: memory for the data of indexes. */
function createLostFiles(dataDirectory: string, listed: ListedNames, limitBytes: number) {
  const tree = publishedTree(dataDirectory);
  const packages = new FileCache<Documents>({
    limitBytes,
    weight: () => bytesOfEntry,
    parse: (bytes) => {
      const { stable, dev } = parseDocumentStamps(bytes.toString('utf8'));
      return { stable: isPublished(stable), dev: isPublished(dev) };
    },
  });
  const hasLostAll = (name: PackageName): boolean => listed.has(name) && !hasDocument(dataDirectory, name);
  const lostIndex = (name: PackageName): MaybeAsync<undefined> => {
    const fault = missingIndex(dataDirectory, name, listed);
    return fault === undefined ? undefined : Promise.reject(fault);
  };
  const check = (path: PublicPath): Promise<undefined> => checkAbsence(path, tree).then(() => undefined);
  return {
    /**
     * For a missing document: rejects with DamagedDocument if it is published. Rejects with UnusableFile if
     * packages.json lists the package, and all its files are lost.
     */
    document: (path: PublicPath, epoch: number): MaybeAsync<undefined> => {
      const provider = providerOf(path);
      if (provider === undefined) return check(path);
      const { name, stability } = provider;
      return andThen(
        packages.get(`${dataDirectory}/index/${indexPath(name)}`, epoch),
        (documents) => {
          if (documents !== undefined) return documents[stability] ? check(path) : undefined;
          return hasLostAll(name) ? lostIndex(name) : undefined;
        },
        // a damaged index names no document
        (reason: unknown) => (hasLostAll(name) ? Promise.reject(reason) : undefined),
      );
    },
    /** For an index that was not found: rejects with UnusableFile if the package is published. */
    index: lostIndex,
    clear: () => packages.clear(),
  };
}

export interface LocalFilesOptions {
  /** holds `public/` and `index/`; may still be empty */
  readonly dataDirectory: string;
  /** memory for documents, indexes and small archives together */
  readonly cacheBytes: number;
  /** called for a publication that only a newer version can read */
  readonly onNewer: (error: Error) => void;
  /** the names in packages.json; default: read from `dataDirectory` */
  readonly listed?: ListedNames;
}

export function createLocalFiles(options: LocalFilesOptions): TreeFiles {
  const { dataDirectory, cacheBytes, onNewer, listed = createListedNames(dataDirectory) } = options;
  const publicDirectory = join(dataDirectory, 'public');
  const indexDirectory = join(dataDirectory, 'index');
  const watch = new PublicationWatch(indexDirectory, onNewer);
  const lost = createLostFiles(dataDirectory, listed, cacheBytes / 16);
  const caches = { ...createCaches(dataDirectory, publicDirectory, cacheBytes), lost };
  const { documents, packages, releases, store } = caches;
  // no join(): every request needs these paths, and both parts are normalized
  const documentFile = (path: PublicPath): string => `${publicDirectory}/${path}`;
  const indexFile = (name: PackageName): string => `${indexDirectory}/${indexPath(name)}`;
  const files = {
    publication: () => watch.read(),
    epoch: createEpoch(watch, join(indexDirectory, purgedPath), Object.values(caches)),
    document: (path, epoch) => documents.get(documentFile(path), epoch) ?? lost.document(path, epoch),
    documentAgain: (path, epoch) => documents.revalidate(documentFile(path), epoch) ?? lost.document(path, epoch),
    grow: (path, document, bytes) => documents.grow(documentFile(path), document, bytes),
    archives: (name, epoch) => packages.get(indexFile(name), epoch) ?? lost.index(name),
    releases: (name, epoch) => releases.get(indexFile(name), epoch) ?? lost.index(name),
    releasesAgain: (name, epoch) => releases.revalidate(indexFile(name), epoch) ?? lost.index(name),
    archivesAgain: (name, epoch) => packages.revalidate(indexFile(name), epoch) ?? lost.index(name),
    archive: (entry, conditions) => store.answer(entry, conditions),
    stale: () => false,
    isEmpty: () =>
      stampFile(documentFile(rootDocumentPath)) === undefined &&
      stampFile(join(indexDirectory, publicationPath)) === undefined,
  } satisfies PlainFiles;
  return withVisibleNames(files, cacheBytes / 8);
}

/** The shares of `cacheBytes` that the kinds of files have. */
function createCaches(dataDirectory: string, publicDirectory: string, cacheBytes: number) {
  const readDocument = createReadDocument(dataDirectory);
  const documents = new FileCache<TextDocument>({
    limitBytes: cacheBytes / 2,
    weight: (document) => document.weight,
    parse: (bytes, { mtimeMs, sha256 }) => new TextDocument(bytes, mtimeMs, { sha256 }),
    read: (path) => readDocument(path.slice(publicDirectory.length + 1)),
  });
  const packages = new FileCache<PackageArchives>({
    limitBytes: cacheBytes / 4,
    weight: (_, bytes) => bytes * 2,
    parse: (bytes) => new PackageArchives(parsePackageIndex(bytes.toString('utf8'))),
  });
  const intern = createIntern();
  // about a tenth of the size of their index; a separate cache, since only views use them
  const releases = new FileCache<PackageReleases>({
    limitBytes: cacheBytes / 3,
    weight: (_, bytes) => bytes * 0.1,
    parse: (bytes) => new PackageReleases(parsePackageIndex(bytes.toString('utf8')), intern),
  });
  const store = new ArchiveStore(publicDirectory, cacheBytes / 8);
  return { documents, packages, releases, store };
}

/**
 * The publication's epoch. Each publication compares the list of purged versions with the one before: a change empties
 * the caches, so that a purged version leaves the memory too.
 */
function createEpoch(
  watch: PublicationWatch,
  purgedFile: string,
  caches: readonly { readonly clear: () => void }[],
): TreeFiles['epoch'] {
  let [known, tombstones] = [0, stampFile(purgedFile)];
  return (nowMs) => {
    const epoch = watch.epoch(nowMs);
    if (epoch === known) return epoch;
    known = epoch;
    const now = stampFile(purgedFile);
    if (!sameStamp(now, tombstones)) for (const cache of caches) cache.clear();
    tombstones = now;
    return epoch;
  };
}
