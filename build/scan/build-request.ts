// The request of a build (its settings), and its effects: clock, progress and stop signal.

import type { GuardedList } from '../contract/announced-lists.ts';
import type { AdvisoryRequest } from '../advisories/read-advisories.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { RegistryDescription } from '../documents/document-settings.ts';
import type { PublishedBy } from '../history/record.ts';
import type { WithholdRequest } from '../version-lists/withheld.ts';
import type { SourceRequest } from './given-sources.ts';
import type { GitTimeouts } from './open-sources.ts';

export interface BuildRequest extends SourceRequest {
  readonly dataDirectory: string;
  /** any quarantine, and nothing is published */
  readonly strict: boolean;
  /** nothing is published: the report says what would be */
  readonly dryRun?: boolean;
  readonly allowRepublish: boolean;
  /** the last version of a package may be withdrawn, and releases of many packages at once */
  readonly allowWithdraw?: boolean;
  readonly jobs: number;
  readonly metadataUrl: string;
  /** absolute address without a slash at its end; undefined: dist.url is a path */
  readonly distBaseUrl: string | undefined;
  /** whether dev versions have a checksum too; `releases` where not given: they have none */
  readonly distShasum?: 'always' | 'releases';
  /** what packages.json says of the registry itself */
  readonly about?: RegistryDescription;
  /**
   * package name → what its records say: true, false for not abandoned whatever its composer.json says, or its
   * replacement
   */
  readonly abandoned?: Readonly<Record<string, boolean | string>>;
  /** patterns added to every package's `archive.exclude` */
  readonly archiveExcludes?: readonly string[];
  /** CIDR ranges beyond the public addresses that dists of inline packages may be fetched from */
  readonly allowedAddresses?: readonly string[];
  readonly gitTimeouts?: GitTimeouts;
  /**
   * how long another build may keep its lock, milliseconds; default: none for a build of what is on this disk, a minute
   * where something was fetched
   */
  readonly waitMs?: number;
  /** security advisories and filter lists; undefined: those that are published stay */
  readonly advisories?: AdvisoryRequest | undefined;
  /** a version to be withdrawn although its source has it, or to be published again */
  readonly withhold?: WithholdRequest;
  /** tombstones of versions that are purged from now on */
  readonly purge?: readonly PurgedVersion[];
  /** the list of tombstones is damaged, or lacks what is announced: it is put together again */
  readonly recoverPurged?: PurgedRecovery;
  /**
   * the list that a build without sources puts together again. The other list may be damaged or lost: announced rows
   * count in its place
   */
  readonly recovers?: GuardedList;
  /** how many publications are recorded; `standardKeep` where not given */
  readonly keepHistory?: number;
  /** for the record */
  readonly by?: PublishedBy;
}

export interface BuildEffects {
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
  /** of which git sees what it needs to reach a remote */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * once it is aborted, nothing is published any more, and the build throws its reason; a publication that has begun is
   * finished
   */
  readonly stop?: AbortSignal;
}

export interface PurgedRecovery {
  /** `purgedKey` of each tombstone that something beside the list names */
  readonly confirmed: ReadonlySet<string>;
  /** of tombstones for what the list lost */
  readonly since: Date;
}
