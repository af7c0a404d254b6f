// The answer to why versions of a package are published, or are not.

import type { PurgeReason } from './purged.ts';
import type { QuarantinedVersion } from './quarantined.ts';
import type { IndexState } from './serving-index.ts';

/** One content of a version that the registry knows. */
export interface WhyVersion {
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
  /** who signed its git tag with a known key */
  readonly signed_by: string | null;
  /** path of the archive below public/ */
  readonly archive: string;
}

export interface WhyAnswer {
  readonly name: string;
  /** the version as it was asked for; null: the whole package */
  readonly version: string | null;
  /** true: the version, or without one any version of the package, is published */
  readonly published: boolean;
  readonly versions: readonly WhyVersion[];
  /** the omitted versions of the last builds, with the reasons */
  readonly left_out: readonly QuarantinedVersion[];
  /** left out without it being known which package or version it is: it may be this one */
  readonly unclear: readonly QuarantinedVersion[];
  /** the limits of libretto.json that exclude it; `option`: the path in libretto.json */
  readonly excluded_by: readonly { readonly source: string; readonly option: string; readonly value: string }[];
  /** contents that were purged: neither they nor, of a release, its label are ever published again */
  readonly purged: readonly {
    readonly version: string;
    readonly reference: string;
    readonly reason: PurgeReason;
    readonly since: string;
  }[];
}
