// The composition root of published packages: the parts that list and show packages, count downloads, and withdraw
// versions.

import type { MirroredCatalogue } from '../../proxy/mirror/mirrored-catalogue.ts';
import { createCatalogue } from '../../proxy/packages/catalogue.ts';
import { createDownloads } from '../../proxy/packages/downloads.ts';
import { createPackageTextReader } from '../../proxy/packages/package-texts.ts';
import type { PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { createChildWithdrawer } from '../../proxy/packages/version-withdrawer.ts';
import { createRestorations, type Restorations } from '../../proxy/packages/restorations.ts';
import { createPurges } from '../../proxy/packages/purges.ts';
import { createChildPurger } from '../../proxy/packages/version-purger.ts';
import { createWithdrawals, type Withdrawals } from '../../proxy/packages/withdrawals.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { PackageServices } from '../../proxy/packages/operations.ts';
import type { PurgeServices } from '../../proxy/packages/purge-operations.ts';
import { createRenderThread } from '../../proxy/packages/render-thread.ts';
import { createUsage } from '../../proxy/packages/usage.ts';
import { createTokenCounts, type TokenCounts } from '../../proxy/usage/token-counts.ts';
import { createLookups, type Lookups } from '../../proxy/search/lookups.ts';
import type { Tombstones } from '../../proxy/core/protocol/tombstones.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { composeBuilder } from './builder.ts';
import type { Config } from '../config/config.ts';
import { publicPathOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';

interface PackageParts {
  readonly state: StateStore;
  /** the files of the served tree */
  readonly files: TreeFiles;
  readonly published: PublishedFiles;
  readonly tombstones: Tombstones;
  /** number of days for which daily downloads are stored */
  readonly retention: () => MaybeAsync<number>;
  /** the setting `statistics.by` */
  readonly countedBy: () => MaybeAsync<string>;
  /** receives a sentence about counts of tokens that are no longer kept */
  readonly onCut: (sentence: string) => void;
  /** receives the errors of counts that could not be stored */
  readonly onError: (error: unknown) => void;
  /** receives the error of a README that is shown as plain text */
  readonly onUnrendered?: (error: unknown) => void;
}

export interface ComposedPackages extends PackageServices, Pick<PurgeServices, 'purgesOf'> {
  /** who uses the packages */
  readonly tokenCounts: TokenCounts;
  /** Composer's search and lists, including mirrored packages */
  readonly lookupsWith: (mirrored: MirroredCatalogue | undefined) => Lookups;
  /** publishes versions again that were withdrawn by hand */
  readonly restorationsOf: (actor: Actor) => Restorations;
}

export function composePackages(
  config: Config,
  context: Context,
  { state, files, published, tombstones, retention, countedBy, onError, onCut, onUnrendered = onError }: PackageParts,
): ComposedPackages {
  const now = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now });
  const builder = composeBuilder(config, context);
  const withdrawalsOf = (actor: Actor): Withdrawals =>
    createWithdrawals({ store, actor, withdrawer: createChildWithdrawer(builder, actor) });
  const catalogue = createCatalogue(published);
  const downloads = createDownloads({ state, now, retention, onError });
  const installs = createDownloads({ state, now, retention, onError, counted: 'installs' });
  const usage = createUsage(downloads, installs);
  return {
    published,
    catalogue,
    packageTexts: createPackageTextReader(
      published,
      createRenderThread({ worker: new URL('./render-worker.js', import.meta.url), onFailure: onUnrendered }),
      () => tombstones.read(now()),
    ),
    downloads,
    installs,
    tokenCounts: createTokenCounts({ state, now, by: countedBy, retention, onError, onCut }),
    lookupsWith: (mirrored) => createLookups({ files, catalogue, usage, mirrored, path: publicPathOf(config) }),
    purgesOf: (actor) => createPurges({ store, actor, purger: createChildPurger(builder, actor) }),
    withdrawalsOf,
    restorationsOf: (actor) => createRestorations({ runner: builder, withdrawals: withdrawalsOf(actor), actor }),
  };
}
