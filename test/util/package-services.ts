// The services of the package operations, composed as in `serve`, over a data folder of a test. The builder is the
// compiled program. Downloads are written when they are read.

import { dirname, join } from 'node:path';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { createCatalogue } from '../../proxy/packages/catalogue.ts';
import { createDownloads } from '../../proxy/packages/downloads.ts';
import { createPackageTextReader } from '../../proxy/packages/package-texts.ts';
import { asViewsSee, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { createPurges } from '../../proxy/packages/purges.ts';
import { createRenderThread, type RenderThreadOptions } from '../../proxy/packages/render-thread.ts';
import { createChildPurger } from '../../proxy/packages/version-purger.ts';
import { createChildWithdrawer } from '../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals } from '../../proxy/packages/withdrawals.ts';
import { createTombstones } from '../../proxy/core/protocol/tombstones.ts';
import type { PackageServices } from '../../proxy/packages/operations.ts';
import type { PurgeServices } from '../../proxy/packages/purge-operations.ts';
import { createTokenCounts, type TokenCounts } from '../../proxy/usage/token-counts.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { builderOf } from './builder.ts';
import { binary } from './run-cli.ts';

/** The worker that looks into archives. */
export const contentsWorker = join(dirname(binary), 'contents-worker.js');

/** `data`: the data folder, absolute. `files` and `published`: of its tree. */
export function packageServices(
  state: StateStore,
  store: AuditedStore,
  now: () => number,
  { data, ...tree }: { readonly data: string; readonly files: TreeFiles; readonly published: PublishedFiles },
  countedBy: () => MaybeAsync<string>,
  render: Omit<RenderThreadOptions, 'onFailure'> = {
    worker: join(dirname(binary), 'render-worker.js'),
    longestMs: 120_000,
  },
): PackageServices & Pick<PurgeServices, 'purgesOf'> & { readonly tokenCounts: TokenCounts } {
  const builder = builderOf(data);
  const published = asViewsSee(tree, now);
  const tombstones = createTombstones(published);
  const onError = (error: unknown): void => {
    throw error;
  };
  return {
    published,
    catalogue: createCatalogue(published),
    packageTexts: createPackageTextReader(
      published,
      createRenderThread({ onFailure: () => undefined, ...render }),
      () => tombstones.read(now()),
    ),
    downloads: createDownloads({ state, now, everyMs: 0, onError }),
    installs: createDownloads({ state, now, everyMs: 0, onError, counted: 'installs' }),
    tokenCounts: createTokenCounts({ state, now, by: countedBy, retention: () => 400, onError, everyMs: 0 }),
    purgesOf: (actor) => createPurges({ store, actor, purger: createChildPurger(builder, actor) }),
    withdrawalsOf: (actor) => createWithdrawals({ store, actor, withdrawer: createChildWithdrawer(builder, actor) }),
  };
}
