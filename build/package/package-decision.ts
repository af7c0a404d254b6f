// The inputs and the result of the decision about one package, and the test if a source still has its published
// versions.

import type { Sha1 } from '../contract/digest.ts';
import type { PrunedRelease } from '../contract/pruned.ts';
import type { Republished } from '../contract/republished.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { Release } from '../sources/release.ts';
import { isAdopted } from '../sources/spec.ts';

/** The releases of one source for the package. The source was read in this build. */
export interface Contribution {
  readonly source: string;
  readonly releases: readonly Release[];
  /** releases that have another name now; the source keeps those that it has published under this name */
  readonly former: readonly Release[];
  /** versions whose present content must not be published: they stay as published */
  readonly unpublishable: ReadonlySet<string>;
  /** true: an unpublishable part has no known name and version, so that no version of this source counts as removed */
  readonly holdsAll: boolean;
}

export interface PackageInputs {
  readonly name: string;
  /** all entries of its serving index */
  readonly entries: readonly IndexEntry[];
  readonly contributions: readonly Contribution[];
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /** ids of sources that were removed: their versions are withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: Republished;
  /** releases that `prune` removed */
  readonly pruned: readonly PrunedRelease[];
  /** normalized versions that people withdrew: no source publishes them */
  readonly withheld: ReadonlySet<string>;
}

/** A release that the build publishes, for the first time or with new content. */
export interface FreshRelease {
  readonly release: Release;
  readonly source: string;
  /** the published content that it replaces */
  readonly replaces: IndexEntry | undefined;
  /** the same content, archived before: its bytes are used again */
  readonly reuse: IndexEntry | undefined;
  /** SHA-1 of the archive that was pruned, which the new archive must have too; undefined: any */
  readonly shasum: Sha1 | undefined;
}

export interface PackageDecision {
  /** published entries that stay, with the release they were found equal to, if their source was read */
  readonly kept: readonly { readonly entry: IndexEntry; readonly release: Release | undefined }[];
  readonly fresh: readonly FreshRelease[];
  readonly withdrawn: readonly IndexEntry[];
  /** entries that stay published although their source may no longer have them: an uncertain build withdraws nothing */
  readonly ambiguous: readonly IndexEntry[];
  readonly refused: readonly { readonly source: string; readonly quarantine: Quarantine }[];
}

/** A decision while it is made. */
export interface OpenDecision {
  readonly kept: PackageDecision['kept'][number][];
  readonly fresh: FreshRelease[];
  readonly withdrawn: IndexEntry[];
  readonly ambiguous: IndexEntry[];
  readonly refused: PackageDecision['refused'][number][];
}

/** The inputs with maps for look-ups per version: a package may have tens of thousands. */
export interface IndexedInputs extends PackageInputs {
  /** by source */
  readonly holdings: ReadonlyMap<
    string,
    { readonly contribution: Contribution; readonly versions: ReadonlySet<string> }
  >;
  /** all entries by normalized version */
  readonly history: ReadonlyMap<string, readonly IndexEntry[]>;
}

export function indexInputs(given: PackageInputs, contributions: readonly Contribution[]): IndexedInputs {
  const holdings = new Map(
    contributions.map((contribution) => [
      contribution.source,
      { contribution, versions: new Set<string>(contribution.releases.map(({ normalized }) => normalized)) },
    ]),
  );
  return { ...given, contributions, holdings, history: groupBy(given.entries, (entry) => entry.version_normalized) };
}

/**
 * An entry stays published although its own source has dropped the version. It then belongs to the source that has the
 * version now, and is withdrawn with that source.
 */
export function handedOver(entry: IndexEntry, heir: string | undefined, inputs: IndexedInputs): IndexEntry {
  return heir === undefined || heir === entry.source || !isGone(entry, inputs) ? entry : { ...entry, source: heir };
}

/**
 * True if the source of a published version no longer has it: the source was read without it, or was forgotten. A
 * version of an unknown source (the builder's memory was lost) stays until a source claims it, and so does one of an
 * adopted registry.
 */
export function isGone(entry: IndexEntry, inputs: IndexedInputs): boolean {
  if (inputs.forgotten.has(entry.source)) return true;
  if (isAdopted(inputs.sources.get(entry.source))) return false;
  const holding = inputs.holdings.get(entry.source);
  if (
    holding === undefined ||
    holding.contribution.holdsAll ||
    holding.contribution.unpublishable.has(entry.version_normalized)
  )
    return false;
  return !holding.versions.has(entry.version_normalized);
}
