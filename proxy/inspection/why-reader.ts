// The port to the reasons why versions of a package are published, or are not.

import type { PackageName } from '../../build/contract/name.ts';
import type { PurgeReason } from '../../build/contract/purged.ts';
import type { QuarantinedVersion } from '../../build/contract/quarantined.ts';
import type { IndexState } from '../../build/contract/serving-index.ts';
import type { WithdrawalCause } from '../../build/contract/withdrawal-cause.ts';

/** One content of a version that the registry knows. */
export interface ExplainedVersion {
  readonly version: string;
  /** `withheld`: withdrawn by hand, although its source has it */
  readonly state: IndexState | 'withheld';
  /** RFC 3339: when it took this state */
  readonly since: string;
  /** absolute path or URL of the source that published it */
  readonly source: string;
  readonly reference: string;
  /** SHA-1 of the archive */
  readonly shasum: string;
  /** bytes of the archive */
  readonly size: number;
  /** the release's own time */
  readonly time: string | null;
  /** path of the archive below public/ */
  readonly archive: string;
}

export interface Explanation {
  readonly name: string;
  /** the version as it was asked for; null: the whole package */
  readonly version: string | null;
  /** true: the version, or without one any version of the package, is published */
  readonly published: boolean;
  readonly versions: readonly ExplainedVersion[];
  /** the versions that the last builds left out, with the reasons; `source`: path or URL */
  readonly left_out: readonly QuarantinedVersion[];
  /** left out without it being known which package or version it is: it may be this one */
  readonly unclear: readonly QuarantinedVersion[];
  /** the limits of libretto.json that exclude it; `option`: the path in libretto.json */
  readonly excluded_by: readonly { readonly source: string; readonly option: string; readonly value: string }[];
  /** contents that were purged, and are never published again */
  readonly purged: readonly {
    readonly version: string;
    readonly reference: string;
    readonly reason: PurgeReason;
    readonly since: string;
  }[];
}

export interface WhyReader {
  /**
   * `version`: as published, or normalized; undefined: the whole package. Says nothing about mirrored packages. Throws
   * RegistryError TREE_DAMAGED if the serving index of the package cannot be read.
   */
  readonly explain: (name: PackageName, version?: string) => Promise<Explanation>;
  /**
   * Why each of these contents was withdrawn, in their order; undefined: the history does not know. Throws
   * RegistryError TREE_DAMAGED.
   */
  readonly causes: (
    name: PackageName,
    contents: readonly Pick<ExplainedVersion, 'version' | 'reference' | 'since'>[],
  ) => Promise<readonly (WithdrawalCause | undefined)[]>;
}
