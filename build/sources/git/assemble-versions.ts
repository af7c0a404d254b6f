// Releases, quarantines and notices out of what became of each ref. Settles which of several refs for one version
// counts: the first.

import type { Quarantine } from '../../contract/quarantine.ts';
import type { Release } from '../release.ts';
import type { ArchiveAccess } from './archived-files.ts';
import { gitRelease } from './git-release.ts';
import type { Outcome } from './outcome.ts';
import type { LfsPointers } from './lfs-pointers.ts';
import { listShortly } from '../../shared/text/list-shortly.ts';
import { ReadAhead } from './read-ahead.ts';
import { describePlace, describeRef, type RefKind, type RefReader } from './read-ref.ts';
import type { Ref } from './refs.ts';

export interface Versions {
  readonly releases: readonly Release[];
  /** under the names that their own composer.json gives, where those are others (release.ts) */
  readonly former: readonly Release[];
  readonly quarantined: readonly Quarantine[];
  readonly notices: readonly string[];
}

export interface JudgedRef {
  readonly kind: RefKind;
  readonly ref: Ref;
  readonly isDefault: boolean;
  readonly outcomes: readonly Outcome[];
  /** read now, not remembered */
  readonly fresh: boolean;
}

export interface AssembleOptions {
  readonly pointers: LfsPointers;
  readonly reader: RefReader;
  readonly access: ArchiveAccess;
  /** shown to clients beside the archive; undefined: none */
  readonly sourceUrl: string | undefined;
}

export function assembleVersions(judged: readonly JudgedRef[], options: AssembleOptions): Versions {
  const releases: Release[] = [];
  const former: Release[] = [];
  const quarantined: Quarantine[] = [];
  const notices: string[] = [];
  const taken = new Map<string, string>();
  const submodules: string[] = [];
  const renames = new Map<string, string[]>();
  const readAhead = new ReadAhead(options.reader.store, freshCommits(judged));
  for (const { kind, ref, isDefault, outcomes } of judged) {
    for (const outcome of outcomes) {
      const where = describePlace(describeRef(kind, ref), outcome.kind === 'skipped' ? '' : outcome.folder);
      if (outcome.kind === 'skipped') notices.push(outcome.notice);
      if (outcome.kind === 'quarantined')
        quarantined.push({
          code: outcome.code,
          message: outcome.message,
          where,
          name: outcome.name,
          version: outcome.version,
        });
      if (outcome.kind !== 'release') continue;
      const context = { ...options, readAhead, kind, ref, where, defaultBranch: isDefault };
      const release = gitRelease(outcome, context);
      if (release === undefined) continue;
      const identity = `${release.name} ${release.normalized}`;
      const first = taken.get(identity);
      if (first !== undefined) {
        notices.push(`${where}: it means the same version as ${first}, which counts`);
        continue;
      }
      taken.set(identity, where);
      releases.push(release);
      if (outcome.submodules) submodules.push(where);
      if (outcome.formerName === undefined) continue;
      const renamed = `${outcome.formerName} ${release.name}`;
      const places = renames.get(renamed) ?? [];
      places.push(where);
      renames.set(renamed, places);
      const underFormer = gitRelease({ ...outcome, name: outcome.formerName }, context);
      if (underFormer !== undefined) former.push(underFormer);
    }
  }
  if (submodules.length > 0)
    notices.push(`archives do not contain submodules: ${listShortly(submodules)} are published without them`);
  return {
    releases,
    former: former.filter(({ name, normalized }) => !taken.has(`${name} ${normalized}`)),
    quarantined,
    notices: [...notices, ...describeRenames(renames)],
  };
}

function freshCommits(judged: readonly JudgedRef[]): readonly string[] {
  return [
    ...new Set(
      judged.flatMap(({ fresh, outcomes }) =>
        fresh ? outcomes.flatMap((outcome) => (outcome.kind === 'release' ? [outcome.commit] : [])) : [],
      ),
    ),
  ];
}

/**
 * Composer takes the default branch's name for all of them, and so does Libretto; nobody should have to find that out
 * by a package that is not found.
 */
function describeRenames(renames: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return Array.from(renames, ([names, where]) => {
    const [former = '', name = ''] = names.split(' ');
    return (
      `composer.json names the package ${former} in ${listShortly(where)}. These versions are published as ` +
      `${name}, the name in the default branch. Versions already published as ${former} stay published until ` +
      `"except" in libretto.json names ${former}.`
    );
  });
}
