// The fields of the next announcement that continue from the last one. Pure.

import type { RootFields, Publication, RollbackHold } from '../contract/publication.ts';
import { formatRoot } from '../documents/documents.ts';
import type { HoldSteps } from '../package/rollback-holds.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { datesAfter, feedAfter, momentAfter } from './dates-until.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { PublishContext } from './run.ts';

/** The digest of packages.json without its names, and when that digest has changed. */
export function nextRootFields({ tree, settings, advisories }: PublishContext, now: Date): RootFields {
  const sha256 = digestOf(formatRoot([], settings, advisories.lists));
  const before = tree.publication?.root.beside;
  if (before?.sha256 === sha256) return before;
  const { serial, datesUntil } = momentAfter(tree);
  const latest = { serial, at: Math.floor(now.getTime() / 1000) };
  // a date that is later than all earlier dates replaces them
  return { sha256, changes: [...(latest.at > datesUntil ? [] : (before?.changes ?? [])), latest] };
}

/** A package that came back has its dates in its own index again. */
export function nextDates(
  { tree }: PublishContext,
  { names, results, stagedAt }: PackagesOutcome,
  now: Date,
): Pick<Publication, 'dates_until' | 'feed' | 'pruned'> {
  const { publication } = tree;
  const isChanged = stagedAt !== undefined && results.some(({ history }) => history !== undefined);
  const feed = isChanged ? feedAfter(tree, stagedAt) : publication?.feed;
  const listed = new Set<string>(names);
  return {
    dates_until: datesAfter(publication, now),
    ...(feed === undefined ? {} : { feed }),
    pruned: Object.fromEntries(Object.entries(publication?.pruned ?? {}).filter(([name]) => !listed.has(name))),
  };
}

/**
 * The changes that rollbacks undid and that are still in effect. Returns the same list object if the list is unchanged.
 */
export function nextHolds(
  { tree, rollback, endsRollbacks, purged }: PublishContext,
  { results }: PackagesOutcome,
): readonly RollbackHold[] | undefined {
  const before = tree.undone;
  if (endsRollbacks === true) return undefined;
  const isPurged = ({ name, version_normalized: normalized, reference }: RollbackHold): boolean =>
    purged.blocks(name, { normalized, reference: reference ?? '' }) !== undefined;
  const steps: HoldSteps = new Map(results.flatMap((result) => [...result.undone]));
  const stepped =
    rollback?.undone ?? before?.flatMap((change) => (steps.has(change) ? (steps.get(change) ?? []) : change));
  const after = stepped?.filter((change) => !isPurged(change));
  if (after === undefined || after.length === 0)
    return before === undefined || before.length === 0 ? before : undefined;
  return JSON.stringify(after) === JSON.stringify(before) ? before : after;
}
