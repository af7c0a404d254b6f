// The port to the packages that a policy is tried on: those that are published here, and stored ones of other
// registries. Reading them sends no request.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { ReleaseFacts } from '../../core/views/view.ts';
import type { PackageOrigin, VersionFacts } from '../judge/facts.ts';
import type { Gains } from '../judge/held-releases.ts';

export interface CandidateVersion {
  readonly facts: VersionFacts;
  /** what views decide by */
  readonly release: ReleaseFacts;
  /** false: only lock files may name it */
  readonly isOffered: boolean;
  /** true: its archive is here */
  readonly stored: boolean;
}

export interface CandidatePackage {
  readonly name: PackageName;
  readonly origin: PackageOrigin;
  /** advisories and filter lists of its registry, as at the top of a p2 document */
  readonly beside: JsonObject;
  readonly versions: readonly CandidateVersion[];
  /** `more`: a record that is compared as if it were published now */
  readonly gains: (more?: JsonObject) => Gains;
}

/** The reference of the archive that was stored before an upstream moved the tag: it stays in use (I18). */
export function formerReference(versions: readonly CandidateVersion[], { facts, stored }: CandidateVersion) {
  const isFormer = (one: CandidateVersion): boolean => one.stored && one.facts.normalized === facts.normalized;
  return stored || facts.dev ? undefined : versions.find(isFormer)?.facts.reference;
}

export interface Listed {
  readonly name: PackageName;
  readonly beside?: () => Promise<JsonObject>;
}

export interface PackageSource {
  readonly origin: PackageOrigin;
  /** in order */
  readonly names: () => Promise<readonly PackageName[]>;
  /**
   * All names, and what their registries said of them; absent: registries say nothing. `beside` rejects with
   * UnusableFile.
   */
  readonly listed?: () => AsyncIterable<Listed>;
  /** Equal while the files of all packages are unchanged; absent: only stamps tell. */
  readonly epoch?: (nowMs: number) => MaybeAsync<number>;
  /** Equal while the files about the package are unchanged. */
  readonly stamp: (name: PackageName) => MaybeAsync<string>;
  /** undefined: there is no such package */
  readonly read: (name: PackageName) => Promise<CandidatePackage | undefined>;
}
