// Reads the documents of a data folder from the disk. Every reader of document bytes uses this file, so that no damaged
// document is used. A build replaces the index of a package before its documents. An index that is read after a
// document therefore knows every version in the document.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestPath, parseManifestSerial } from '../../../build/contract/manifest-serial.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath, providerPath } from '../../../build/contract/paths.ts';
import { parseDocumentStamps } from '../../../build/contract/serving-index.ts';
import { checkAbsence, checkDocument, isPublished, type PublishedTree } from './document-check.ts';
import { isAbsence, stampFile } from '../../../build/shared/files/file-stamp.ts';
import type { ListedNames } from './listed-names.ts';
import { missingIndex } from './missing-index.ts';
import { PublicationWatch } from './publication-watch.ts';
import { readWhole, type WholeFile } from '../../../build/shared/files/read-whole.ts';

/**
 * `path`: below public/. undefined: there is no such file, nor is there one published. Rejects with DamagedDocument.
 */
export type ReadDocument = (path: string) => Promise<WholeFile | undefined>;

/** `dataDirectory`: has `public/` and `index/`, and `build/` if builds run in it. */
export function createReadDocument(dataDirectory: string): ReadDocument {
  const tree = publishedTree(dataDirectory);
  return async (path) => {
    const file = await readWhole(`${dataDirectory}/public/${path}`);
    if (file !== undefined) return { ...file, sha256: await checkDocument(path, file, tree) };
    await checkAbsence(path, tree);
    return undefined;
  };
}

/** A document, or why it cannot be used. `bytes` undefined: there is no such file, nor is there one published. */
export type DocumentRead = { readonly bytes: Buffer | undefined } | { readonly fault: unknown };

/** The files of one package. */
export interface PackageFiles {
  readonly stable: DocumentRead;
  readonly dev: DocumentRead;
  readonly index: DocumentRead;
}

/** The index is read once, and may be damaged. */
export type ReadPackage = (name: PackageName) => Promise<PackageFiles>;

/** `dataDirectory`: see createReadDocument. */
export function createReadPackage(dataDirectory: string, listed: ListedNames): ReadPackage {
  const tree = publishedTree(dataDirectory);
  return async (name) => {
    const paths = { stable: providerPath(name, 'stable'), dev: providerPath(name, 'dev') };
    const [stable, dev] = await Promise.allSettled([
      readWhole(`${dataDirectory}/public/${paths.stable}`),
      readRare(`${dataDirectory}/public/${paths.dev}`),
    ]);
    const index = await readIndex(dataDirectory, name, listed);
    const stamps = 'fault' in index ? undefined : stampsIn(index.bytes);
    const checked: PublishedTree = { ...tree, package: async () => stamps };
    const check = (kind: 'stable' | 'dev', file: ReadResult): Promise<DocumentRead> => {
      if (file.status === 'rejected') return Promise.resolve({ fault: file.reason });
      const { value } = file;
      if (value !== undefined) return readOf(value.bytes, checkDocument(paths[kind], value, checked));
      return isPublished(stamps?.[kind]) ? readOf(undefined, checkAbsence(paths[kind], tree)) : Promise.resolve(absent);
    };
    return { stable: await check('stable', stable), dev: await check('dev', dev), index };
  };
}

const absent: DocumentRead = { bytes: undefined };

type ReadResult = PromiseSettledResult<WholeFile | undefined>;

function readIndex(dataDirectory: string, name: PackageName, listed: ListedNames): Promise<DocumentRead> {
  return readWhole(join(dataDirectory, 'index', indexPath(name))).then(
    (file) => {
      const fault = file === undefined ? missingIndex(dataDirectory, name, listed) : undefined;
      return fault === undefined ? { bytes: file?.bytes } : { fault };
    },
    (fault: unknown) => ({ fault }),
  );
}

function readOf(bytes: Buffer | undefined, checked: Promise<unknown>): Promise<DocumentRead> {
  return checked.then(
    () => ({ bytes }),
    (fault: unknown) => ({ fault }),
  );
}

/** Most packages have no document of dev versions: worth no round trip through the thread pool. */
async function readRare(path: string): Promise<WholeFile | undefined> {
  return stampFile(path) === undefined ? undefined : readWhole(path);
}

/** `dataDirectory`: see createReadDocument. */
export function publishedTree(dataDirectory: string): PublishedTree {
  // the reader of the documents reports a newer publication
  const watch = new PublicationWatch(join(dataDirectory, 'index'), () => undefined);
  const read = (path: string): Promise<Buffer | undefined> =>
    readFile(join(dataDirectory, path)).catch((error: unknown) =>
      isAbsence(error) ? undefined : Promise.reject(error),
    );
  return {
    announced: async () => watch.read(),
    begun: async () => {
      // an unreadable manifest counts as absent
      const text = await read(`build/${manifestPath}`).catch(() => undefined);
      return text === undefined ? undefined : parseManifestSerial(text.toString('utf8'));
    },
    // an index that cannot be read knows no digest, as a damaged one
    package: async (name) => stampsIn(await read(`index/${indexPath(name)}`).catch(() => undefined)),
    bytes: (path) => read(`public/${path}`),
  };
}

/** undefined: not known. */
function stampsIn(index: Buffer | undefined): ReturnType<typeof parseDocumentStamps> | undefined {
  try {
    return index === undefined ? undefined : parseDocumentStamps(index.toString('utf8'));
  } catch {
    // a damaged index has no digest and finds no archive; `libretto verify` reports it
    return undefined;
  }
}
