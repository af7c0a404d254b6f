// Documents and indexes that are published, and are not there. A deleted file is as damaged as a truncated one: a server
// must not answer for it that the package is not published.
//
// For a name that was never published this costs one look for the index. For a document that a published package lacks,
// such as that of dev versions, it costs a lookup in memory.

import type { PackageName } from '../../build/contract/name.ts';
import { indexPath, type PublicPath } from '../../build/contract/paths.ts';
import { parseDocumentStamps } from '../../build/contract/serving-index.ts';
import { FileCache } from '../../build/shared/caches/file-cache.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { checkAbsence, isPublished, providerOf } from './document-check.ts';
import { missingIndex } from './missing-index.ts';
import { publishedTree } from './published-documents.ts';

export interface LostFiles {
  /** For a document that was not found: rejects with DamagedDocument if it is published. */
  readonly document: (path: PublicPath, epoch: number) => MaybeAsync<undefined>;
  /** For an index that was not found: rejects with UnusableFile if a document of the package exists. */
  readonly index: (name: PackageName) => MaybeAsync<undefined>;
  readonly clear: () => void;
}

/** The documents that a package has, by its index. */
type Documents = { readonly [Kind in 'stable' | 'dev']: boolean };

const bytesOfEntry = 64;

/** `dataDirectory`: holds `public/` and `index/`. `limitBytes`: memory for what indexes say. */
export function createLostFiles(dataDirectory: string, limitBytes: number): LostFiles {
  const tree = publishedTree(dataDirectory);
  const packages = new FileCache<Documents>({
    limitBytes,
    weight: () => bytesOfEntry,
    parse: (bytes) => {
      const { stable, dev } = parseDocumentStamps(bytes.toString('utf8'));
      return { stable: isPublished(stable), dev: isPublished(dev) };
    },
  });
  const check = (path: PublicPath): Promise<undefined> => checkAbsence(path, tree).then(() => undefined);
  return {
    document: (path, epoch) => {
      const provider = providerOf(path);
      if (provider === undefined) return check(path);
      const { name, stability } = provider;
      return andThen(
        packages.get(`${dataDirectory}/index/${indexPath(name)}`, epoch),
        (documents) => (documents?.[stability] === true ? check(path) : undefined),
        () => undefined, // a damaged index names no document
      );
    },
    index: (name) => {
      const fault = missingIndex(dataDirectory, name);
      return fault === undefined ? undefined : Promise.reject(fault);
    },
    clear: () => packages.clear(),
  };
}
