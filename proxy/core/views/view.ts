// A view: the compiled predicate for the packages and versions that a token sees. Every route that names packages uses
// the view. A request without a view sees everything. A package is visible when one of its releases is visible. A
// hidden package is absent, and its requests get the same answers as if it had never been published (I14).

import { releasedVersion, type ReleasedVersion } from '../../../build/contract/released-version.ts';

/** The facts of a version's content that decide its visibility. */
export type ReleaseFacts = ReleasedVersion;

/** The visible part of one package: everything, nothing, or the releases for which the function returns true. */
export type ReleaseFilter = 'all' | 'none' | ((release: ReleaseFacts) => boolean);

export interface View {
  /** Equal for equal limits, so that tokens share cached data; for keys of caches only. */
  readonly key: string;
  /** true if the view depends on release times */
  readonly dated: boolean;
  /** patterns of all names that it can see; undefined: any */
  readonly patterns: readonly string[] | undefined;
  /** `name`: in lower case. Cheap: a few look-ups. */
  readonly filterOf: (name: string) => ReleaseFilter;
}

/** `view` undefined: sees all. */
export function filterOf(view: View | undefined, name: string): ReleaseFilter {
  return view === undefined ? 'all' : view.filterOf(name);
}

export function passes(filter: ReleaseFilter, release: ReleaseFacts): boolean {
  return filter === 'all' || (filter !== 'none' && filter(release));
}

/** True if the package is visible: one of its releases is. A package without releases is not. */
export function seesSome(filter: ReleaseFilter, releases: Iterable<ReleaseFacts>): boolean {
  if (filter === 'none') return false;
  for (const release of releases) if (passes(filter, release)) return true;
  return false;
}

/** An index entry in the form for views. */
export const releaseOf = releasedVersion;
