// The services that the pages about packages use.

import type { Inspection } from '../../../inspection/inspection.ts';
import type { Mirror } from '../../../mirror/mirror.ts';
import type { MirrorReport } from '../../../mirror/mirror-report.ts';
import type { MirroredCatalogue } from '../../../mirror/mirrored-catalogue.ts';
import type { Downloads } from '../../../packages/downloads.ts';
import type { PackageTextReader } from '../../../packages/package-texts.ts';
import type { Restorations } from '../../../packages/restorations.ts';
import type { Withdrawals } from '../../../packages/withdrawals.ts';
import type { PublishedAdvisories } from '../../../core/tree/published-advisories.ts';
import type { BlockedVersions } from '../../../policy/admin/blocked-versions.ts';
import type { PolicyAdmin } from '../../../policy/admin/policy-admin.ts';
import type { Actor } from '../../../state/audit.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';

export interface PackagePageServices extends UsageServices {
  readonly packageTexts: PackageTextReader;
  readonly downloads: Downloads;
  /** undefined: this server has no packages of other registries */
  readonly mirrored: MirroredCatalogue | undefined;
  /** what is stored of mirrored packages */
  readonly mirror: Pick<Mirror, 'settings' | 'archiveStore'> | undefined;
  /** what is held back of them */
  readonly mirrorReport: Pick<MirrorReport, 'packageOf'> | undefined;
  readonly inspection: () => Promise<Inspection>;
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
  readonly restorationsOf: (actor: Actor) => Restorations;
  readonly policyAdmin: PolicyAdmin;
  readonly advisories: PublishedAdvisories;
  readonly blockedVersions: BlockedVersions;
}
