// Keeps a rolled-back version out of later builds. A build may publish the version again once its source has another
// content for the version. Pure.

import type { PackageName } from '../contract/name.ts';
import type { RollbackHold } from '../contract/publication.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { normalizeVersion } from '../contract/version.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { PackageChange } from '../history/record.ts';
import type { Contribution, PackageDecision } from './package-decision.ts';
import type { BuildReport } from '../contract/build-report.ts';

export type HoldsByName = ReadonlyMap<PackageName, readonly RollbackHold[]>;

export function holdsByName(list: readonly RollbackHold[] = []): HoldsByName {
  return groupBy(list, ({ name }) => name);
}

/**
 * The contributions of these sources without the rolled-back contents. The versions that a rollback restored stay as
 * published.
 */
export function excludeRolledBack(
  contributions: readonly Contribution[],
  undone: readonly RollbackHold[],
  entries: readonly IndexEntry[],
): readonly Contribution[] {
  if (undone.length === 0) return contributions;
  const changes = new Map(undone.map((change) => [change.version_normalized, change]));
  const broughtBack = entries.filter(
    (entry) => entry.state === 'published' && changes.get(entry.version_normalized)?.reference === null,
  );
  return contributions.map((contribution) => {
    const releases = contribution.releases.filter(
      (release) => changes.get(release.normalized)?.reference !== release.reference,
    );
    const left = new Set<string>(releases.map(({ normalized }) => normalized));
    const rolledBack = contribution.releases
      .filter(({ normalized }) => !left.has(normalized))
      .map(({ normalized }) => normalized);
    const mine = broughtBack
      .filter((entry) => entry.source === contribution.source && !left.has(entry.version_normalized))
      .map((entry) => entry.version_normalized);
    return {
      ...contribution,
      releases,
      unpublishable: new Set([...contribution.unpublishable, ...rolledBack, ...mine]),
    };
  });
}

/** The next state of a package's changes in a build. null: the change is dropped. */
export type HoldSteps = ReadonlyMap<RollbackHold, RollbackHold | null>;

/** The contributions of the sources before `excludeRolledBack`, and all entries of the serving index. */
export interface OfferedContent {
  readonly contributions: readonly Contribution[];
  readonly entries: readonly IndexEntry[];
}

export function holdSteps(
  undone: readonly RollbackHold[],
  offered: OfferedContent,
  decision: PackageDecision,
): HoldSteps {
  const steps = new Map<RollbackHold, RollbackHold | null>();
  for (const change of undone) {
    const { gone, ...rest } = change;
    const offer = offerOf(change, offered);
    if (offer === 'something' && gone === true) steps.set(change, rest);
    if (offer === 'nothing' && gone !== true && change.reference !== null) steps.set(change, { ...rest, gone: true });
  }
  for (const change of settledChanges(undone, decision)) steps.set(change, null);
  return steps;
}

/**
 * Ids of sources whose content for a rolled back version must not be published. Each build examines the package again,
 * because the loss of such a content by its source is no other change.
 */
export function unresolvedSources(undone: readonly RollbackHold[], offered: OfferedContent): readonly string[] {
  const waiting = undone.filter((change) => change.gone !== true && offerOf(change, offered) === 'unpublishable');
  const isAwaited = ({ unpublishable, holdsAll }: Contribution): boolean =>
    waiting.some(({ version_normalized: normalized }) => holdsAll || unpublishable.has(normalized));
  return offered.contributions.filter(isAwaited).map(({ source }) => source);
}

type Offer = 'something' | 'unpublishable' | 'nothing';

/** Under the version; undefined: a source that has published the version was not read. */
function offerOf(
  { version_normalized: normalized }: RollbackHold,
  { contributions, entries }: OfferedContent,
): Offer | undefined {
  if (contributions.some(({ releases }) => releases.some((release) => release.normalized === normalized)))
    return 'something';
  if (contributions.some(({ unpublishable, holdsAll }) => holdsAll || unpublishable.has(normalized)))
    return 'unpublishable';
  const read = new Set(contributions.map(({ source }) => source));
  const isRead = entries.every((entry) => entry.version_normalized !== normalized || read.has(entry.source));
  return isRead ? 'nothing' : undefined;
}

/**
 * The changes that this decision ends: a source's version is published again, or a restored version is no longer
 * published.
 */
function settledChanges(undone: readonly RollbackHold[], decision: PackageDecision): readonly RollbackHold[] {
  const published = new Set<string>([
    ...decision.fresh.map(({ release }) => release.normalized),
    ...decision.kept.flatMap(({ release }) => release?.normalized ?? []),
  ]);
  const gone = new Set(decision.withdrawn.map((entry) => entry.version_normalized));
  return undone.filter(
    (change) =>
      published.has(change.version_normalized) || (change.reference === null && gone.has(change.version_normalized)),
  );
}

/** The list after a rollback with these changes. A restored content that an earlier rollback undid leaves the list. */
export function holdsAfter(
  before: readonly RollbackHold[],
  changes: readonly PackageChange[],
): readonly RollbackHold[] {
  const list = new Map(before.map((change) => [keyOf(change), change]));
  for (const { name, added, changed, withdrawn } of changes) {
    const steps = [
      ...withdrawn.map(({ version, reference }) => ({ version, from: reference, to: null })),
      ...changed.map(({ version, reference, was }) => ({ version, from: was.reference, to: reference })),
      ...added.map(({ version, reference }) => ({ version, from: null, to: reference })),
    ];
    for (const { version, from, to } of steps) {
      const change: RollbackHold = {
        name,
        version,
        version_normalized: normalizeVersion(version) ?? version,
        reference: from,
      };
      const known = list.get(keyOf(change));
      // the published content came from an earlier rollback and not from a source: the content that it undid is the
      // source's
      if (known === undefined) list.set(keyOf(change), change);
      // if the source has lost the rolled back content, no source has the restored one
      else if (known.gone === true && to !== null) list.set(keyOf(change), { ...change, reference: null });
      else if (known.reference === to) list.delete(keyOf(change));
    }
  }
  return [...list.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Notices for people in every build: their sources have versions that are not published. */
export function holdNotices(
  undone: readonly RollbackHold[] = [],
  results: readonly { readonly undone: HoldSteps }[],
): BuildReport['notices'] {
  const steps: HoldSteps = new Map(results.flatMap((result) => [...result.undone]));
  const left = undone.filter((change) => steps.get(change) !== null);
  if (left.length === 0) return [];
  const shown = left
    .slice(0, 10)
    .map(({ name, version, reference }) => `${name} ${version}${reference === null ? ' (brought back)' : ''}`);
  const list = `${shown.join(', ')}${left.length > shown.length ? `, and ${left.length - shown.length} more` : ''}`;
  return [
    {
      source: 'data folder',
      message:
        `A rollback keeps ${list} unchanged until its source has different content. With \`libretto rollback ` +
        `--lift\`, the next build publishes the current content of the sources.`,
    },
  ];
}

function keyOf({ name, version_normalized: normalized }: RollbackHold): string {
  return `${name} ${normalized}`;
}
