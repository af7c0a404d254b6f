// Releases, quarantines and notices out of what became of each ref. Settles which of several refs for one version counts: the first.

import type { Quarantine } from '../quarantine.ts';
import type { Release } from '../release.ts';
import type { ArchiveAccess } from './archived-files.ts';
import { gitRelease } from './git-release.ts';
import type { Outcome } from './outcome.ts';
import { ReadAhead } from './read-ahead.ts';
import { describePlace, describeRef, type RefKind, type RefReader } from './read-ref.ts';
import type { Ref } from './refs.ts';

export interface Versions {
  readonly releases: readonly Release[];
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
  readonly reader: RefReader;
  readonly access: ArchiveAccess;
  /** shown to clients beside the archive; undefined: none */
  readonly sourceUrl: string | undefined;
}

export function assembleVersions(judged: readonly JudgedRef[], options: AssembleOptions): Versions {
  const releases: Release[] = [];
  const quarantined: Quarantine[] = [];
  const notices: string[] = [];
  const taken = new Map<string, string>();
  const submodules: string[] = [];
  const pointers = new Map<string, string[]>();
  const readAhead = new ReadAhead(options.reader.store, freshCommits(judged));
  for (const { kind, ref, isDefault, outcomes } of judged) {
    for (const outcome of outcomes) {
      const where = describePlace(describeRef(kind, ref), outcome.kind === 'skipped' ? '' : outcome.folder);
      if (outcome.kind === 'skipped') notices.push(outcome.notice);
      if (outcome.kind === 'quarantined') quarantined.push({ code: outcome.code, message: outcome.message, where, name: outcome.name, version: outcome.version });
      const release = outcome.kind === 'release' ? gitRelease(outcome, { ...options, readAhead, kind, ref, where, defaultBranch: isDefault }) : undefined;
      if (release === undefined || outcome.kind !== 'release') continue;
      const identity = `${release.name} ${release.normalized}`;
      const first = taken.get(identity);
      if (first !== undefined) {
        notices.push(`${where}: it means the same version as ${first}, which counts`);
        continue;
      }
      taken.set(identity, where);
      releases.push(release);
      if (outcome.submodules) submodules.push(where);
      for (const path of outcome.lfsPointers) pointers.set(path, [...(pointers.get(path) ?? []), where]);
    }
  }
  if (submodules.length > 0) notices.push(`submodules are not part of an archive: they are left out of ${listShortly(submodules)}`);
  return { releases, quarantined, notices: [...notices, ...describePointers(pointers)] };
}

function freshCommits(judged: readonly JudgedRef[]): readonly string[] {
  return [...new Set(judged.flatMap(({ fresh, outcomes }) => (fresh ? outcomes.flatMap((outcome) => (outcome.kind === 'release' ? [outcome.commit] : [])) : [])))];
}

/** Files told of; more are counted. */
const maxPointersTold = 5;

function describePointers(pointers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const told = Array.from(pointers).slice(0, maxPointersTold).map(
    ([path, where]) => `${path} is an LFS pointer, and stays one in the archive of ${listShortly(where)}: files of Git LFS are not fetched. Commit the file itself, or leave it out with export-ignore.`,
  );
  return pointers.size > maxPointersTold ? [...told, `${pointers.size - maxPointersTold} more files are LFS pointers.`] : told;
}

function listShortly(items: readonly string[]): string {
  return items.length <= 3 ? items.join(', ') : `${items.slice(0, 2).join(', ')} and ${items.length - 2} more`;
}
