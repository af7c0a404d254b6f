// The served tree, from the data folder, or from an origin: a web server, or an object store. A builder that publishes to
// an object store also serves from there, since archives do not stay on its disk.

import { NewerFormat } from '../../build/contract/newer-format.ts';
import { rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { andThen } from '../../build/shared/concurrency/maybe-async.ts';
import { createListedNames } from '../../proxy/core/tree/listed-names.ts';
import {
  createPrivateNames,
  eitherOf,
  privateNamesIn,
  type ReadPrivateNames,
} from '../../proxy/core/tree/private-names.ts';
import type { OriginConnection } from '../../proxy/origin/origin-files.ts';
import type { OriginNotice } from '../../proxy/origin/origin-failure-log.ts';
import { createLocalPublishedFiles, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { createLocalFiles } from '../../proxy/core/tree/local-files.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { defaultServerLimits } from '../../proxy/core/http/server-limits.ts';
import type { Config } from '../config/config.ts';
import { connectToStore, type StoreContext } from '../data-folder/output-store.ts';
import { parsePublishedTree, readLastPublication, refuseNewerTree, type TreeContents } from './published-tree.ts';
import { UsageError } from '../io/usage-error.ts';
import { version } from '../io/version.ts';

export interface ServedTree {
  readonly files: TreeFiles;
  /** true: the tree is at an origin */
  readonly isElsewhere: boolean;
  readonly published: PublishedFiles;
  /** The private names of this tree. For a registry with an origin, also those of a tree in the data folder. */
  readonly privateNames: ReadPrivateNames;
  /** The current publication; undefined before the first one, or where it cannot be read. */
  readonly publication: () => Promise<Publication | undefined>;
  /** The facts of the tree that commands print. */
  readonly shown: () => Promise<TreeContents | undefined>;
  readonly close: () => void;
}

/** Listeners to failures of an origin. */
export interface TreeListeners {
  readonly notice: (notice: OriginNotice) => void;
  readonly onNewer: (error: Error) => void;
}

const silent: TreeListeners = { notice: () => undefined, onNewer: () => undefined };

/**
 * Throws UsageError for a tree from a newer version of Libretto. An unavailable origin is no error here: later requests
 * try again. `listeners`: none where each request says itself what an origin lacks.
 */
export async function openServedTree(config: Config, context: StoreContext, listeners = silent): Promise<ServedTree> {
  const connected = await connectOrigin(config, context, `Libretto/${version}`);
  return connected === undefined
    ? openLocalTree(config.data.value, listeners)
    : openOriginTree(connected, config, listeners);
}

/** undefined: the tree is in the data folder. */
export async function connectOrigin(
  { origin: { value: origin }, output, originAuthorization }: Config,
  context: StoreContext,
  userAgent: string,
): Promise<OriginConnection | undefined> {
  const store = origin === undefined ? output.value : origin.store;
  if (store !== undefined) return connectToStore(store, context, defaultServerLimits.cacheBytes);
  if (origin === undefined) return undefined;
  const { connectToServer } = await import('../../proxy/origin/origin-files.ts'); // for servers with an origin
  const { url, authorization } = origin;
  return connectToServer({ url, authorization: originAuthorization.value ?? authorization }, userAgent);
}

function openLocalTree(dataDirectory: string, { onNewer }: TreeListeners): ServedTree {
  refuseNewerTree(dataDirectory);
  const listed = createListedNames(dataDirectory);
  const published = createLocalPublishedFiles(dataDirectory, listed);
  return {
    files: createLocalFiles({ dataDirectory, cacheBytes: defaultServerLimits.cacheBytes, onNewer, listed }),
    isElsewhere: false,
    published,
    privateNames: createPrivateNames(dataDirectory, listed),
    publication: async () => readLastPublication(dataDirectory),
    shown: () => shownOf(published),
    close: () => undefined,
  };
}

async function openOriginTree(
  origin: OriginConnection,
  { data, originCheck, originRedirectAbove }: Config,
  listeners: TreeListeners,
): Promise<ServedTree> {
  const ofDataFolder = privateNamesIn(data.value);
  const { createOriginFiles } = await import('../../proxy/origin/origin-files.ts'); // for servers with an origin
  const { files, published, privateNames, close } = createOriginFiles({
    ...listeners,
    origin,
    checkEveryMs: originCheck.value,
    cacheBytes: defaultServerLimits.cacheBytes,
    redirectAbove: originRedirectAbove.value,
    monotonicMs: () => performance.now(),
  });
  try {
    await files.publication();
  } catch (error) {
    if (error instanceof Error && error.cause instanceof NewerFormat) {
      close();
      throw new UsageError(`${error.message}; this one does not serve it.`, { cause: error });
    }
    // `notice` has reported the failure, and each request tries again.
  }
  return {
    files,
    isElsewhere: true,
    published,
    privateNames: () => andThen(privateNames(), (ofOrigin) => eitherOf(ofOrigin, ofDataFolder)),
    publication: () => orNothing(async () => files.publication()),
    shown: () => shownOf(published),
    close,
  };
}

function shownOf(published: PublishedFiles): Promise<TreeContents | undefined> {
  return orNothing(async () =>
    parsePublishedTree((await published.read(`public/${rootDocumentPath}`))?.toString('utf8')),
  );
}

async function orNothing<Known>(look: () => Promise<Known | undefined>): Promise<Known | undefined> {
  try {
    return await look();
  } catch {
    return undefined; // the log has the reason: from `notice`, or from the first request
  }
}
