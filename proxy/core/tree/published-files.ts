// The port to the text files of a publication, for all uses other than serving Composer. The files are in a folder or
// behind a static HTTP server, like those of TreeFiles.

import { join } from 'node:path';
import { isJsonObject } from '../../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import { rootDocumentPath } from '../../../build/contract/paths.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { stampText } from '../../../build/shared/files/file-stamp.ts';
import { PublicationWatch } from './publication-watch.ts';
import { createListedNames } from './listed-names.ts';
import { createReadDocument, createReadPackage, type ReadPackage } from './published-documents.ts';
import { readWhole } from '../../../build/shared/files/read-whole.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { View } from '../views/view.ts';
import type { TreeFiles } from './tree-files.ts';

/** Below the folder that holds both: `public/packages.json`, `index/acme/core.json`. */
export type PublishedPath = `public/${string}` | `index/${string}`;

export interface PublishedFiles {
  /** A number that grows when a publication may have changed files. */
  readonly epoch: (nowMs: number) => MaybeAsync<number>;
  /** undefined: there is no such file. Rejects if it cannot be read, and if a document is not the published one. */
  readonly read: (path: PublishedPath) => Promise<Buffer | undefined>;
  /** The documents of one package and its index, each read once. Rejects if the index cannot be read. */
  readonly readPackage: ReadPackage;
  /** False if the view does not see the package, so that none of its files needs to be read; default: true. */
  readonly shows?: (view: View | undefined, name: PackageName) => Promise<boolean>;
  /**
   * The stamps of these files of one package: while all are equal, the files are unchanged. undefined: there is no such
   * file.
   */
  readonly stamps: (paths: readonly PublishedPath[]) => MaybeAsync<readonly (string | undefined)[]>;
}

const documents = 'public/';

/** `dataDirectory`: holds `public/` and `index/`. */
export function createLocalPublishedFiles(
  dataDirectory: string,
  listed = createListedNames(dataDirectory),
): PublishedFiles {
  // the reader of the documents reports a newer publication; here the previous one stays
  const watch = new PublicationWatch(join(dataDirectory, 'index'), () => undefined);
  const readDocument = createReadDocument(dataDirectory);
  return {
    epoch: (nowMs) => watch.epoch(nowMs),
    read: async (path) =>
      (path.startsWith(documents)
        ? await readDocument(path.slice(documents.length))
        : await readWhole(join(dataDirectory, path))
      )?.bytes,
    readPackage: createReadPackage(dataDirectory, listed),
    stamps: (paths) => paths.map((path) => stampText(join(dataDirectory, path))),
  };
}

/** For a server: no file of a package is read for a view that does not see it. */
export function asViewsSee(
  { published, files }: { readonly published: PublishedFiles; readonly files: Pick<TreeFiles, 'epoch' | 'visible'> },
  now: () => number,
): PublishedFiles {
  const shows = async (view: View | undefined, name: PackageName): Promise<boolean> =>
    files.visible.shows(view, name, 'documents', await files.epoch(now()));
  return { ...published, shows };
}

/** The parsed rows; empty if there is no such file. Throws an Error that names an unusable file. */
export async function parsePublished<Row>(
  files: PublishedFiles,
  path: PublishedPath,
  parse: (text: string) => readonly Row[],
): Promise<readonly Row[]> {
  return parseRows(await files.read(path), path, parse);
}

/** The names in packages.json, in its order. Throws an Error that names an unusable file. */
export function parseNames(bytes: Buffer | undefined): readonly PackageName[] {
  const names = parseRows(bytes, `public/${rootDocumentPath}`, (text): readonly unknown[] => {
    const json: unknown = JSON.parse(text);
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    return Array.isArray(list) ? list : [];
  });
  return names.flatMap((name) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : []));
}

/** Like parsePublished, for the text read from `path`. */
export function parseRows<Row>(
  bytes: Buffer | undefined,
  path: PublishedPath,
  parse: (text: string) => readonly Row[],
): readonly Row[] {
  if (bytes === undefined) return [];
  try {
    return parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new UnusableFile(`${path} cannot be used; run \`libretto verify\``, { cause });
  }
}
