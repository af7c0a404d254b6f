// The tree that is served, whether it is in the data folder or at an origin.

import { NewerFormat } from '../../build/contract/newer-format.ts';
import { rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { andThen } from '../../build/shared/concurrency/maybe-async.ts';
import { createPrivateNames, eitherOf, privateNamesIn, type ReadPrivateNames } from '../../proxy/tree/private-names.ts';
import type { OriginNotice } from '../../proxy/origin/origin-trouble.ts';
import { createLocalPublishedFiles, type PublishedFiles } from '../../proxy/tree/published-files.ts';
import { createLocalFiles } from '../../proxy/tree/local-files.ts';
import type { TreeFiles } from '../../proxy/tree/tree-files.ts';
import { defaultServerLimits } from '../../proxy/http/server-limits.ts';
import type { Config } from '../config/config.ts';
import { parsePublishedTree, readPublication, refuseNewerTree, type PublishedTree } from './published-tree.ts';
import { UsageError } from '../io/usage-error.ts';
import { version } from '../io/version.ts';

export interface ServedTree {
  readonly files: TreeFiles;
  /** whether the tree is at an origin */
  readonly isElsewhere: boolean;
  readonly published: PublishedFiles;
  /** Of this tree, and of one that may lie in the data folder beside an origin. */
  readonly privateNames: ReadPrivateNames;
  /** What was last announced; undefined where nothing was, or it cannot be read. */
  readonly publication: () => Promise<Publication | undefined>;
  /** What people are told of it. */
  readonly shown: () => Promise<PublishedTree | undefined>;
  readonly close: () => void;
}

/** Who hears of an origin's moods. */
export interface TreeListeners {
  readonly notice: (notice: OriginNotice) => void;
  readonly onNewer: (error: Error) => void;
}

/**
 * Throws UsageError for a tree that a newer version of Libretto published. An origin that cannot be reached now may be
 * reached later.
 */
export async function openServedTree(config: Config, listeners: TreeListeners): Promise<ServedTree> {
  const address = config.origin.value;
  const dataDirectory = config.data.value;
  if (address === undefined) {
    refuseNewerTree(dataDirectory);
    const published = createLocalPublishedFiles(dataDirectory);
    return {
      files: createLocalFiles({
        dataDirectory,
        cacheBytes: defaultServerLimits.cacheBytes,
        onNewer: listeners.onNewer,
      }),
      isElsewhere: false,
      published,
      privateNames: createPrivateNames(dataDirectory),
      publication: async () => readPublication(dataDirectory),
      shown: () => shownOf(published),
      close: () => undefined,
    };
  }
  const here = privateNamesIn(dataDirectory);
  const { createOriginFiles } = await import('../../proxy/origin/origin-files.ts'); // most servers need none of it
  const { files, published, privateNames, close } = createOriginFiles({
    ...listeners,
    address: { url: address.url, authorization: config.originAuthorization.value ?? address.authorization },
    checkEveryMs: config.originCheck.value,
    cacheBytes: defaultServerLimits.cacheBytes,
    userAgent: `Libretto/${version}`,
    monotonicMs: () => performance.now(),
  });
  try {
    await files.publication();
  } catch (error) {
    if (error instanceof Error && error.cause instanceof NewerFormat) {
      close();
      throw new UsageError(`${error.message}; this one does not serve it.`, { cause: error });
    }
    // told already; it is tried again with every request
  }
  return {
    files,
    isElsewhere: true,
    published,
    privateNames: () => andThen(privateNames(), (there) => eitherOf(there, here)),
    publication: () => orNothing(async () => files.publication()),
    shown: () => shownOf(published),
    close,
  };
}

function shownOf(published: PublishedFiles): Promise<PublishedTree | undefined> {
  return orNothing(async () =>
    parsePublishedTree((await published.read(`public/${rootDocumentPath}`))?.toString('utf8')),
  );
}

async function orNothing<Known>(look: () => Promise<Known | undefined>): Promise<Known | undefined> {
  try {
    return await look();
  } catch {
    return undefined; // the log has why: by way of `notice`, or with the first request
  }
}
