// The output tree at an origin: a static HTTP server such as nginx, which serves `public/` and `index/`, or an object
// store.

import { isAsWritten } from '../../build/contract/checksum.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath, providerPath, publicationPath, type PublicPath } from '../../build/contract/paths.ts';
import type { PackageIndex } from '../../build/contract/serving-index.ts';
import { andThen } from '../../build/shared/concurrency/maybe-async.ts';
import type { ReadPrivateNames } from '../core/tree/private-names.ts';
import type { PublishedFiles, PublishedPath } from '../core/tree/published-files.ts';
import { PackageArchives } from '../core/tree/package-archives.ts';
import { createIntern, PackageReleases } from '../core/tree/package-releases.ts';
import type { DocumentRead } from '../core/tree/published-documents.ts';
import type { PlainFiles, TreeFiles } from '../core/tree/tree-files.ts';
import { withVisibleNames } from '../core/tree/visible-names.ts';
import type { OriginAddress } from './origin-address.ts';
import { OriginArchives } from './origin-archives.ts';
import { OriginDocuments, type OriginIndex } from './origin-documents.ts';
import { OriginFailure } from './origin-failure.ts';
import { OriginIndexes } from './origin-indexes.ts';
import { createOriginPrivateNames } from './origin-private-names.ts';
import { OriginPublication } from './origin-publication.ts';
import { createOriginRequests, type OriginRequests } from './origin-requests.ts';
import { fetchWhole } from './origin-text.ts';
import { OriginFailureLog, type OriginNotice } from './origin-failure-log.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';

export interface OriginFilesOptions {
  readonly origin: OriginConnection;
  /** the longest time between two checks for a publication, in milliseconds, while requests come */
  readonly checkEveryMs: number;
  /** memory for documents, indexes and small archives together */
  readonly cacheBytes: number;
  /** An object store sends archives of more bytes itself; default: the server sends all. */
  readonly redirectAbove?: number | undefined;
  /** reports a publication of a newer format */
  readonly onNewer: (error: Error) => void;
  /** reports that the origin fails, once a minute, and that it works again */
  readonly notice: (notice: OriginNotice) => void;
  readonly monotonicMs: () => number;
}

/** Each kind has separate connections, so that documents never wait behind downloads. */
export interface OriginConnection {
  readonly requests: OriginRequests;
  readonly archiveRequests: OriginRequests;
}

export interface OriginFiles {
  readonly files: TreeFiles;
  readonly published: PublishedFiles;
  readonly privateNames: ReadPrivateNames;
  readonly close: () => void;
}

const documentConnections = 64;
const archiveConnections = 256;
const maxTextBytes = 64 * 1024 * 1024;

export function connectToServer(address: OriginAddress, userAgent: string): OriginConnection {
  return {
    requests: createOriginRequests({ address, userAgent, connections: documentConnections }),
    archiveRequests: createOriginRequests({ address, userAgent, connections: archiveConnections }),
  };
}

export function createOriginFiles(options: OriginFilesOptions): OriginFiles {
  const { origin, checkEveryMs, onNewer, notice, monotonicMs } = options;
  const { requests, archiveRequests } = origin;
  const failures = new OriginFailureLog({ notice, monotonicMs });
  const publication = new OriginPublication({ requests, failures, onNewer, checkEveryMs, monotonicMs });
  const connected = { ...origin, failures, publication };
  const parts: OriginParts = { ...connected, ...createCaches(connected, options) };
  return {
    files: withVisibleNames(treeFiles(parts), options.cacheBytes / 8),
    published: publishedFiles(parts),
    privateNames: createOriginPrivateNames({ publication, failures, monotonicMs }),
    close: () => {
      requests.close();
      archiveRequests.close();
    },
  };
}

/** The shares of `cacheBytes` that the kinds of files have. */
function createCaches(
  { requests, archiveRequests, failures, publication }: ReadOrigin,
  { cacheBytes, redirectAbove = Infinity, monotonicMs }: OriginFilesOptions,
): OriginCaches {
  const shared = { requests, failures, monotonicMs };
  const indexes = new OriginIndexes({ ...shared, limitBytes: cacheBytes / 4, weight: 3, make: indexOf });
  const intern = createIntern();
  const releases = new OriginIndexes({
    ...shared,
    limitBytes: cacheBytes / 3,
    weight: 0.1,
    make: (index) => new PackageReleases(index, intern),
  });
  // digests of all packages: after a publication, a catalogue of thousands needs one short answer for each
  const digests = new OriginIndexes({
    ...shared,
    limitBytes: cacheBytes / 8,
    weight: 0,
    make: (_, bytes) => digestOf(bytes),
  });
  const documents = new OriginDocuments({ ...shared, publication, indexes, limitBytes: cacheBytes / 2 });
  const limitBytes = cacheBytes / 4;
  const archives = new OriginArchives({ requests: archiveRequests, failures, limitBytes, redirectAbove });
  return { indexes, releases, digests, documents, archives };
}

interface ReadOrigin extends OriginConnection {
  readonly failures: OriginFailureLog;
  readonly publication: OriginPublication;
}

interface OriginCaches {
  readonly indexes: OriginIndexes<OriginIndex>;
  readonly releases: OriginIndexes<PackageReleases>;
  readonly digests: OriginIndexes<string>;
  readonly documents: OriginDocuments;
  readonly archives: OriginArchives;
}

type OriginParts = ReadOrigin & OriginCaches;

function treeFiles({ failures, publication, indexes, releases, documents, archives }: OriginParts): PlainFiles {
  return {
    publication: () => publication.read(),
    epoch: () => publication.epoch(),
    document: (path, epoch) => documents.get(path, epoch),
    documentAgain: (path, epoch) => documents.get(path, epoch),
    grow: (path, document, bytes) => documents.grow(path, document, bytes),
    archives: (name, epoch) => andThen(indexes.get(name, epoch), (index) => index?.archives),
    archivesAgain: async (name, epoch) => (await indexes.again(name, epoch))?.archives,
    releases: (name, epoch) => releases.get(name, epoch),
    releasesAgain: (name, epoch) => releases.again(name, epoch),
    archive: (entry, conditions) => archives.answer(entry, conditions),
    isEmpty: () => publication.current === undefined,
    stale: () => failures.stale(),
  };
}

function publishedFiles({ requests, publication, indexes, digests, documents }: OriginParts): PublishedFiles {
  const read = async (path: PublishedPath): Promise<Buffer | undefined> => {
    const epoch = await publication.epoch();
    if (path.startsWith('public/')) return documents.bytes(path.slice('public/'.length) as PublicPath, epoch);
    const name = nameOfIndex(path);
    if (name !== undefined) return (await indexes.get(name, epoch))?.bytes;
    if (path === `index/${publicationPath}`) return publication.bytes;
    const fetched = await fetchWhole(requests, path, maxTextBytes);
    if (fetched.outcome !== 'whole') return undefined;
    if (!isIntact(path, fetched.bytes)) throw new OriginFailure(`${path} of the origin is damaged`);
    return fetched.bytes;
  };
  const readFile = (path: PublishedPath): Promise<DocumentRead> =>
    read(path).then(
      (bytes) => ({ bytes }),
      (fault: unknown) => ({ fault }),
    );
  return {
    epoch: () => publication.epoch(),
    read,
    // sequential, because an index that is read after the documents has every version in them
    readPackage: async (name) => ({
      stable: await readFile(`public/${providerPath(name, 'stable')}`),
      dev: await readFile(`public/${providerPath(name, 'dev')}`),
      index: await readFile(`index/${indexPath(name)}`),
    }),
    // the digest of an index covers its documents: the index names their digests
    stamps: async (paths) => {
      const epoch = await publication.epoch();
      return Promise.all(
        paths.map(async (path) => {
          const name = nameOfIndex(path);
          return name === undefined ? '' : digests.get(name, epoch);
        }),
      );
    },
  };
}

function indexOf(index: PackageIndex, bytes: Buffer): OriginIndex {
  return { archives: new PackageArchives(index), documents: index.documents, bytes };
}

/** Most lists end with a checksum; the name of a text is its checksum. */
function isIntact(path: PublishedPath, bytes: Buffer): boolean {
  const digest = /\/([0-9a-f]{40})\.md$/.exec(path)?.[1];
  if (digest === undefined) return !bytes.includes('\n"sha256": "') || isAsWritten(bytes.toString('utf8'));
  return digestOf(bytes).startsWith(digest);
}

function nameOfIndex(path: PublishedPath): PackageName | undefined {
  const name = /^index\/([^_].*)\.json$/.exec(path)?.[1];
  return name === undefined ? undefined : parsePackageName(name);
}
