// A registry at the hostile store: builders that publish to it, and a proxy that serves from it. The proxy checks for a
// publication every 100 ms.

import { createOriginFiles } from '../../proxy/origin/origin-files.ts';
import type { OriginNotice } from '../../proxy/origin/origin-failure-log.ts';
import { createStoredRequests } from '../../proxy/origin/stored-requests.ts';
import { build } from '../../build/build.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { parseStoreAddress } from '../../build/store/address.ts';
import { createS3Readers, type ReaderOptions } from '../../build/store/s3-store.ts';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import { buildSeries } from './build-series.ts';
import { startHostileStore, type HostileStore, type HostileStoreOptions } from './hostile-store.ts';
import { openStore } from './opened-store.ts';
import type { Tree } from './package-tree.ts';
import { runProxy, type Reply, type RunningOptions, type RunningProxy } from './running-proxy.ts';

export interface ServedStore extends AsyncDisposable {
  readonly store: HostileStore;
  /** Adds these files to the source, and publishes. */
  readonly publish: (files: Tree, request?: Partial<BuildRequest>) => Promise<BuildReport>;
  readonly proxy: RunningProxy;
  readonly notices: readonly OriginNotice[];
  /** Moves the clock that decides on repeated requests; timers run on. */
  readonly skip: (ms: number) => void;
  /** the keys that were asked for since the last call, below the prefix */
  readonly asked: () => string[];
}

export interface ServedStoreOptions {
  readonly store?: HostileStoreOptions;
  readonly proxy?: RunningOptions;
  readonly redirectAbove?: number;
  readonly reader?: Partial<ReaderOptions>;
}

const prefix = 'some/where';

export async function serveStore(options: ServedStoreOptions = {}): Promise<ServedStore> {
  const store = await startHostileStore(options.store);
  const series = buildSeries();
  const { files, notices, skip } = readStore(store, options);
  const proxy = await runProxy({ tokens: { reader: 100_000 }, ...options.proxy, files: files.files });
  let told = 0;
  return {
    store,
    publish: (tree, request = {}) => {
      series.tree.write(tree);
      const output = { open: async () => openStore(store) };
      return build(series.request({ arguments: ['one'], output, ...request }), series.effects());
    },
    proxy,
    notices,
    skip,
    asked: () => {
      const keys = store.requests.slice(told).map(({ key }) => key?.slice(prefix.length + 1) ?? '');
      told = store.requests.length;
      return keys;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      files.close();
      await store.close();
      series.tree.remove();
    },
  };
}

function readStore(store: HostileStore, { reader, redirectAbove }: ServedStoreOptions) {
  const notices: OriginNotice[] = [];
  let skippedMs = 0;
  const { environment } = store;
  const name = `s3://${store.bucket}/${prefix}`;
  const address = parseStoreAddress(name, { environment });
  const standard = { address, environment, home: '/nonexistent', now: Date.now, random: () => 0 };
  const readers = createS3Readers({ ...standard, ...reader });
  const requests = createStoredRequests({ name, ...readers, limitBytes: 1024 ** 2 });
  const files = createOriginFiles({
    origin: { requests, archiveRequests: requests },
    checkEveryMs: 100,
    cacheBytes: 8 * 1024 ** 2,
    redirectAbove,
    onNewer: () => undefined,
    notice: (notice) => void notices.push(notice),
    monotonicMs: () => performance.now() + skippedMs,
  });
  return { files, notices, skip: (ms: number) => void (skippedMs += ms) };
}

interface Entry {
  readonly description?: string;
  readonly dist: { readonly url: string; readonly shasum: string };
}

/** The entries of a p2 document, by version. */
export function versionsIn(reply: Reply, name: string): Readonly<Record<string, Entry>> {
  return (reply.json()['packages'] as Record<string, Record<string, Entry>>)[name] ?? {};
}
