// The request of a build (its settings), its effects (clock, progress and stop signal), and the options with which it
// opens sources.

import type { GuardedList } from '../contract/announced-lists.ts';
import type { AdvisoryRequest } from '../advisories/read-advisories.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { WithheldVersion } from '../contract/withheld.ts';
import type { RegistryDescription } from '../documents/document-settings.ts';
import type { PublishedBy } from '../history/record.ts';
import type { WithholdRequest } from '../version-lists/withheld.ts';
import type { SourceRequest } from './source-settings.ts';
import type { OpenableStore } from '../store/object-store.ts';
import type { SignerFiles, Signers } from '../sources/git/signers.ts';
import type { GitTimeouts, OpenSourcesOptions } from './open-sources.ts';
import type { Republished } from '../contract/republished.ts';

export interface BuildRequest extends SourceRequest {
  readonly dataDirectory: string;
  /** the object store that has the tree; undefined: the data folder has it */
  readonly output?: OpenableStore | undefined;
  /** any quarantined version fails the build before it publishes */
  readonly strict: boolean;
  /** true: the report lists the planned changes, and the build publishes nothing */
  readonly dryRun?: boolean;
  readonly allowRepublish: Republished;
  /** true: the build may withdraw the last version of a package, and releases of many packages */
  readonly allowWithdraw?: boolean;
  readonly jobs: number;
  readonly metadataUrl: string;
  /** absolute address without a slash at its end; undefined: dist.url is a path */
  readonly distBaseUrl: string | undefined;
  /** the path below which clients reach the registry, such as /composer; undefined: the root of its host */
  readonly publicPath?: string | undefined;
  /** `always`: dev versions have a checksum too; default `releases`: they have none */
  readonly distShasum?: 'always' | 'releases';
  /** the description of the registry in packages.json */
  readonly about?: RegistryDescription;
  /** by package name: true, or the replacement, for an abandoned package; false overrides its composer.json */
  readonly abandoned?: Readonly<Record<string, boolean | string>>;
  /** patterns added to every package's `archive.exclude` */
  readonly archiveExcludes?: readonly string[];
  /** the keys that may sign tags */
  readonly signers?: SignerFiles;
  /** CIDR ranges beyond the public addresses that dists of inline packages may be fetched from */
  readonly allowedAddresses?: readonly string[];
  readonly gitTimeouts?: GitTimeouts;
  /**
   * how long the build waits for the lock of another build, milliseconds; default: 0 if all sources are on this disk, a
   * minute if one was fetched
   */
  readonly waitMs?: number;
  /** security advisories and filter lists; undefined: those that are published stay */
  readonly advisories?: AdvisoryRequest | undefined;
  /** a version to be withdrawn although its source has it, or to be published again */
  readonly withhold?: WithholdRequest;
  /** tombstones of versions that are purged from now on */
  readonly purge?: readonly PurgedVersion[];
  /** rebuilds a list of tombstones that is damaged, or lacks announced rows */
  readonly recoverPurged?: PurgedRecovery;
  /**
   * the list that a build without sources rebuilds. The other list may be damaged or lost: its announced rows count in
   * its place
   */
  readonly recovers?: GuardedList;
  /** the number of recorded publications; default `standardKeep` */
  readonly keepHistory?: number;
  /** for the record */
  readonly by?: PublishedBy;
}

export interface BuildEffects {
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
  /** variables that git needs to reach a remote */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** aborting it makes the build throw its reason before it publishes; a publication that has started is completed */
  readonly stop?: AbortSignal;
}

export interface PurgedRecovery {
  /** `purgedKey` of each tombstone that another record than the list confirms */
  readonly confirmed: ReadonlySet<string>;
  /** the date of tombstones for lost rows */
  readonly since: Date;
  /** versions withdrawn by hand on record, for a tree that lost its list and every file that names a row of it */
  readonly withheld: readonly WithheldVersion[];
}

const defaultGitTimeouts: GitTimeouts = { asking: 60_000, fetching: 300_000 };

/** Throws BuildRefused if a list of signers cannot be used. */
export async function openingOptions(
  {
    dataDirectory,
    archiveExcludes = [],
    allowedAddresses = [],
    gitTimeouts = defaultGitTimeouts,
    signers: files = {},
  }: BuildRequest,
  effects: BuildEffects,
  memory: Pick<OpenSourcesOptions, 'output' | 'trusted' | 'stale'>,
): Promise<OpenSourcesOptions> {
  const signers = await openSigners(files, effects);
  return { ...effects, dataDirectory, archiveExcludes, signers, allowedAddresses, gitTimeouts, ...memory };
}

async function openSigners(files: SignerFiles, { environment }: BuildEffects): Promise<Signers | undefined> {
  if (files.ssh === undefined && files.openpgp === undefined) return undefined;
  return (await import('../sources/git/signers.ts')).readSigners(files, environment);
}
