// What the catalogue shows of a package: its published versions, and who requires it. Where the versions come from,
// which ones were left out or withdrawn, and how often they are downloaded, only people of the registry may know. Pure.

import { advisoriesOf, type AdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { describedBy } from '../../packages/package-details.ts';
import { latestOf, type PackageSummary } from '../../packages/package-summary.ts';
import type { PackageText } from '../../packages/package-texts.ts';
import type { PublishedVersion } from '../../packages/published-package.ts';
import type { OpenPackage } from '../pages/package/open-package.ts';

/** One package with its texts, for its pages. */
export interface CataloguePackage {
  readonly opened: OpenPackage;
  /** undefined: the latest version has none */
  readonly readme: PackageText | undefined;
  readonly changelog: PackageText | undefined;
}

interface PublicFacts {
  readonly summary: PackageSummary;
  /** newest first */
  readonly versions: readonly PublishedVersion[];
  /** all published packages */
  readonly all: ReadonlyMap<PackageName, PackageSummary>;
  /** the other packages that require it, sorted */
  readonly dependents: readonly PackageName[];
  readonly lists: AdvisoryLists;
}

/** undefined: it has no version. */
export function publicPackage({ summary, versions, all, dependents, lists }: PublicFacts): OpenPackage | undefined {
  const latest = latestOf(versions);
  if (latest === undefined) return undefined;
  return {
    name: summary.name,
    summary,
    details: { ...describedBy(latest.record), versions, sources: [], quarantined: [] },
    latest,
    blockOf: () => undefined,
    packages: { all },
    dependents,
    advisories: advisoriesOf(lists, summary.name),
    explanation: undefined,
  };
}
