// What rollbacks undid stays undone, pure: a build takes a version that was rolled back for one that may not be published, until its source has
// another content for it.

import type { PackageName } from './contract/name.ts';
import type { UndoneChange } from './contract/publication.ts';
import type { IndexEntry } from './contract/serving-index.ts';
import { normalizeVersion } from './contract/version.ts';
import { groupBy } from './group-by.ts';
import type { PackageChange } from './history/record.ts';
import type { Contribution, PackageDecision } from './plan.ts';
import type { BuildReport } from './report.ts';

export type UndoneByName = ReadonlyMap<PackageName, readonly UndoneChange[]>;

export function undoneByName(list: readonly UndoneChange[] = []): UndoneByName {
  return groupBy(list, ({ name }) => name);
}

/** What these sources have, without the contents that were rolled back, and with the versions that were brought back held as they are published. */
export function holdBack(contributions: readonly Contribution[], undone: readonly UndoneChange[], entries: readonly IndexEntry[]): readonly Contribution[] {
  if (undone.length === 0) return contributions;
  const changes = new Map(undone.map((change) => [change.version_normalized, change]));
  const broughtBack = entries.filter((entry) => entry.state === 'published' && changes.get(entry.version_normalized)?.reference === null);
  return contributions.map((contribution) => {
    const releases = contribution.releases.filter((release) => changes.get(release.normalized)?.reference !== release.reference);
    const left = new Set<string>(releases.map(({ normalized }) => normalized));
    const rolledBack = contribution.releases.filter(({ normalized }) => !left.has(normalized)).map(({ normalized }) => normalized);
    const mine = broughtBack.filter((entry) => entry.source === contribution.source && !left.has(entry.version_normalized)).map((entry) => entry.version_normalized);
    return { ...contribution, releases, held: new Set([...contribution.held, ...rolledBack, ...mine]) };
  });
}

/** Those of a package that this decision leaves behind: the version is published out of its source again, or what was brought back is gone. */
export function settledChanges(undone: readonly UndoneChange[], decision: PackageDecision): readonly UndoneChange[] {
  if (undone.length === 0) return undone;
  const published = new Set<string>([...decision.fresh.map(({ release }) => release.normalized), ...decision.kept.flatMap(({ release }) => release?.normalized ?? [])]);
  const gone = new Set(decision.withdrawn.map((entry) => entry.version_normalized));
  return undone.filter((change) => published.has(change.version_normalized) || (change.reference === null && gone.has(change.version_normalized)));
}

/** The list after a rollback that made these changes. What it brings back of what an earlier one undid is not undone any more. */
export function undoneAfter(before: readonly UndoneChange[], changes: readonly PackageChange[]): readonly UndoneChange[] {
  const list = new Map(before.map((change) => [keyOf(change), change]));
  for (const { name, added, changed, withdrawn } of changes) {
    const steps = [
      ...withdrawn.map(({ version, reference }) => ({ version, from: reference, to: null })),
      ...changed.map(({ version, reference, was }) => ({ version, from: was.reference, to: reference })),
      ...added.map(({ version, reference }) => ({ version, from: null, to: reference })),
    ];
    for (const { version, from, to } of steps) {
      const change: UndoneChange = { name, version, version_normalized: normalizeVersion(version) ?? version, reference: from };
      const known = list.get(keyOf(change));
      // what is published now is the rollback's before it, and no source's: what that undid is what the source has
      if (known === undefined) list.set(keyOf(change), change);
      else if (known.reference === to) list.delete(keyOf(change));
    }
  }
  return [...list.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** What people should know of it in every build: their sources have something that is not published. */
export function undoneNotices(undone: readonly UndoneChange[] = [], results: readonly { readonly settled: readonly UndoneChange[] }[]): BuildReport['notices'] {
  const settled = new Set(results.flatMap((result) => result.settled));
  const left = undone.filter((change) => !settled.has(change));
  if (left.length === 0) return [];
  const shown = left.slice(0, 10).map(({ name, version, reference }) => `${name} ${version}${reference === null ? ' (brought back)' : ''}`);
  const list = `${shown.join(', ')}${left.length > shown.length ? `, and ${left.length - shown.length} more` : ''}`;
  return [{ source: 'data folder', message: `A rollback holds ${list} as it is until there is another content for it. \`libretto rollback --lift\` lets the next build publish what its sources have.` }];
}

function keyOf({ name, version_normalized: normalized }: UndoneChange): string {
  return `${name} ${normalized}`;
}
