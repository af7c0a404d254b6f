// Detects published documents and indexes whose files are missing. A deleted file is as damaged as a truncated one: a
// server must not answer that the package is unpublished.
//
// A request for a name that was never published costs a stat of the index, and a lookup in packages.json. A request for
// a document that a published package lacks, for example of dev versions, costs a lookup in memory.

import type { PackageName } from '../../../build/contract/name.ts';
import { indexPath, type PublicPath } from '../../../build/contract/paths.ts';
import { parseDocumentStamps } from '../../../build/contract/serving-index.ts';
import { FileCache } from '../../../build/shared/caches/file-cache.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { checkAbsence, isPublished, providerOf } from './document-check.ts';
import type { ListedNames } from './listed-names.ts';
import { hasDocument, missingIndex } from './missing-index.ts';
import { publishedTree } from './published-documents.ts';

export interface LostFiles {
  /**
   * For a missing document: rejects with DamagedDocument if it is published. Rejects with UnusableFile if packages.json
   * lists the package, and all its files are lost.
   */
  readonly document: (path: PublicPath, epoch: number) => MaybeAsync<undefined>;
  /** For an index that was not found: rejects with UnusableFile if the package is published. */
  readonly index: (name: PackageName) => MaybeAsync<undefined>;
  readonly clear: () => void;
}

/** The documents that a package has, by its index. */
type Documents = { readonly [Kind in 'stable' | 'dev']: boolean };

const bytesOfEntry = 64;

/** `dataDirectory`: holds `public/` and `index/`. `limitBytes`: memory for the data of indexes. */
export function createLostFiles(dataDirectory: string, listed: ListedNames, limitBytes: number): LostFiles {
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
    document: (path, epoch) => {
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
    index: lostIndex,
    clear: () => packages.clear(),
  };
}
