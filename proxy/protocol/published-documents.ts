// Documents of a data folder, read from the disk. Whoever needs the bytes of one reads them here: nobody uses a
// document that was damaged where it lies.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestPath, parseManifestSerial } from '../../build/contract/manifest-serial.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { parseDocumentStamps } from '../../build/contract/serving-index.ts';
import { checkDocument, type PublishedTree } from './document-check.ts';
import { isAbsence } from './file-stamp.ts';
import { PublicationWatch } from './publication-watch.ts';
import { readWhole, type WholeFile } from './read-whole.ts';

/** `path`: below public/. undefined: there is no such file. Rejects with DamagedDocument. */
export type ReadDocument = (path: string) => Promise<WholeFile | undefined>;

/** `dataDirectory`: holds `public/` and `index/`, and `build/` where it is built into. */
export function createReadDocument(dataDirectory: string): ReadDocument {
  const tree = publishedTree(dataDirectory);
  return async (path) => {
    const file = await readWhole(`${dataDirectory}/public/${path}`);
    if (file !== undefined) await checkDocument(path, file.bytes, file.mtimeMs, tree);
    return file;
  };
}

function publishedTree(dataDirectory: string): PublishedTree {
  // whoever serves the documents tells of a newer publication
  const watch = new PublicationWatch(join(dataDirectory, 'index'), () => undefined);
  const read = (path: string): Promise<Buffer | undefined> =>
    readFile(join(dataDirectory, path)).catch((error: unknown) =>
      isAbsence(error) ? undefined : Promise.reject(error),
    );
  return {
    announced: async () => watch.read(),
    begun: async () => {
      // one that may not be read says as little as none
      const text = await read(`build/${manifestPath}`).catch(() => undefined);
      return text === undefined ? undefined : parseManifestSerial(text.toString('utf8'));
    },
    package: async (name) => {
      const text = await read(`index/${indexPath(name)}`);
      try {
        return text === undefined ? undefined : parseDocumentStamps(text.toString('utf8'));
      } catch {
        // a damaged index knows no digest; `libretto verify` tells it, and archives are not found by it
        return undefined;
      }
    },
    bytes: (path) => read(`public/${path}`),
  };
}
