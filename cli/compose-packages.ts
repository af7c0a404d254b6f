// The composition root of published packages: what lists and shows them, what counts their downloads, and what withdraws versions.

import { createCatalogue } from '../proxy/packages/catalogue.ts';
import { createDownloads } from '../proxy/packages/downloads.ts';
import { createPackageTextReader } from '../proxy/packages/package-texts.ts';
import { createChildWithdrawer } from '../proxy/packages/version-withdrawer.ts';
import { createWithdrawals } from '../proxy/packages/withdrawals.ts';
import type { Eventually } from '../proxy/eventually.ts';
import type { PackageServices } from '../proxy/manage/routes/packages.ts';
import { createAuditedStore } from '../proxy/state/audit.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import { composeBuilder } from './compose-builder.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

interface PackageParts {
  readonly state: StateStore;
  /** days for which downloads are kept by day */
  readonly retention?: (() => Eventually<number>) | undefined;
  /** hears of downloads that could not be kept */
  readonly onError: (error: unknown) => void;
}

export function composePackages(config: Config, context: Context, { state, retention, onError }: PackageParts): PackageServices {
  const dataDirectory = config.data.value;
  const now = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now });
  const withdrawer = createChildWithdrawer(composeBuilder(config, context));
  return {
    dataDirectory,
    catalogue: createCatalogue(dataDirectory),
    packageTexts: createPackageTextReader(dataDirectory),
    downloads: createDownloads({ state, now, retention, onError }),
    withdrawalsOf: (actor) => createWithdrawals({ store, actor, withdrawer }),
  };
}
