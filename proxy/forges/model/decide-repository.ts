// Decides what happens with one repository of the forge's list: the list and the remembered row in, steps out. Pure.
// A registered repository is never removed by a decision: it is reported, and a person removes it.

import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { nameBelow, type OwnerName, type RepositoryPath } from './forge-name.ts';
import type { ForgeRepository, ListedRepository, SkipReason } from './forge-repository.ts';

/** Which repositories of the owner are wanted. Patterns match the name without the owner; `*` matches any characters. */
export interface Selection {
  readonly only: readonly string[];
  readonly except: readonly string[];
  readonly forks: boolean;
}

export type Step =
  /** read composer.json, and register the repository if it has a name */
  | { readonly step: 'inspect' }
  | { readonly step: 'skip'; readonly reason: SkipReason }
  /** it is registered, and has another name now */
  | { readonly step: 'rename'; readonly from: string; readonly to: RepositoryPath }
  /** it is registered, and became read-only at the forge */
  | { readonly step: 'archive' }
  /** it is registered, and was archived or missing before */
  | { readonly step: 'return' };

/** A forge may show a push late (GitLab: up to an hour), so that repositories without a package are read again. */
export const recheckMs = 86_400_000;

/** `seen`: undefined for a repository that was never listed before. `nowMs`: epoch milliseconds. */
export function decideRepository(
  listed: ForgeRepository,
  seen: ListedRepository | undefined,
  wanted: (path: RepositoryPath) => boolean,
  { forks, nowMs }: { readonly forks: boolean; readonly nowMs: number },
): readonly Step[] {
  if (seen !== undefined && seen.state !== 'skipped') return stepsOfRegistered(listed, seen);
  const reason = reasonToSkip(listed, wanted, forks);
  if (reason !== undefined)
    return seen?.reason === reason && seen.path === listed.path ? [] : [{ step: 'skip', reason }];
  // only the person who removed it registers it again
  if (seen?.reason === 'unregistered') return [];
  return seen === undefined || isDue(listed, seen, nowMs) ? [{ step: 'inspect' }] : [];
}

function stepsOfRegistered(listed: ForgeRepository, seen: ListedRepository): readonly Step[] {
  const steps: Step[] = [];
  if (seen.path !== listed.path) steps.push({ step: 'rename', from: seen.path, to: listed.path });
  if (listed.isArchived && seen.state !== 'archived') steps.push({ step: 'archive' });
  if (!listed.isArchived && seen.state !== 'registered') steps.push({ step: 'return' });
  return steps;
}

function reasonToSkip(
  { path, isArchived, isFork, branch }: ForgeRepository,
  wanted: (path: RepositoryPath) => boolean,
  forks: boolean,
): SkipReason | undefined {
  if (!wanted(path)) return 'filtered';
  if (isFork && !forks) return 'fork';
  if (isArchived) return 'archived';
  return branch === undefined ? 'empty' : undefined;
}

/** Reasons that came from the list alone are over now; the others ask for a change of the files, or for time. */
const ofTheList: ReadonlySet<SkipReason | null> = new Set<SkipReason>(['empty', 'filtered', 'fork', 'archived']);

function isDue({ stamp, path }: ForgeRepository, seen: ListedRepository, nowMs: number): boolean {
  if (ofTheList.has(seen.reason) || seen.reason === 'unreadable' || seen.reason === 'forbidden') return true;
  return seen.stamp !== stamp || seen.path !== path || nowMs - Date.parse(seen.checked_at) >= recheckMs;
}

/** The test of a repository's path against the patterns of a connection. */
export function wantedNames({ only, except }: Selection, owner: OwnerName): (path: RepositoryPath) => boolean {
  const [included, excluded] = [matchAnyName(only), matchAnyName(except)];
  return (path) => {
    const name = nameBelow(owner, path);
    return (only.length === 0 || included(name)) && !excluded(name);
  };
}
