// The documents that changed for a view, from the changes that the serving indexes record: each with the time of its
// last visible change. Changes that the view does not see move no time (I14). Pure, but for reading the indexes.

import type { PackageName } from '../../build/contract/name.ts';
import type { VersionChange } from '../../build/contract/version-changes.ts';
import { isDevVersion } from '../../build/contract/version.ts';
import { filterOf, passes, type ReleaseFilter, type View } from '../core/views/view.ts';
import type { RecordedChange } from '../core/tree/package-releases.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';

export type ChangedFiles = Pick<TreeFiles, 'publication' | 'releases' | 'visible'>;

/** One document: `acme/hello`, or `acme/hello~dev`. */
export interface DocumentChange {
  readonly type: 'update' | 'delete';
  readonly package: string;
  /** epoch seconds, rising with each publication that the view notices */
  readonly time: number;
}

type Found = Omit<DocumentChange, 'time'> & RecordedChange;

const suffixes = { stable: '', dev: '~dev' } as const;
const kinds = ['stable', 'dev'] as const;
const packagesAtOnce = 256;

/** Oldest first. Rejects if the index of a package cannot be read: its changes would be missing. */
export async function changesSeen(
  files: ChangedFiles,
  view: View | undefined,
  epoch: number,
): Promise<readonly DocumentChange[]> {
  const [publication, { listed: names }, { listed }] = await Promise.all([
    files.publication(),
    files.visible.of(undefined, epoch),
    files.visible.of(view, epoch),
  ]);
  const found: Found[] = [];
  const add = (name: PackageName, changeOf: (kind: 'stable' | 'dev') => RecordedChange | undefined): void => {
    for (const kind of kinds) {
      const change = changeOf(kind);
      const type = listed.has(name) ? 'update' : 'delete';
      if (change !== undefined) found.push({ type, package: `${name}${suffixes[kind]}`, ...change });
    }
  };
  for (const [name, changes] of Object.entries(publication?.pruned ?? {}) as [PackageName, readonly VersionChange[]][])
    if (!names.has(name)) add(name, (kind) => lastOf(changes, kind, filterOf(view, name)));
  const known = [...names, ...(publication?.withdrawn ?? [])].filter((name) => filterOf(view, name) !== 'none');
  for (let from = 0; from < known.length; from += packagesAtOnce) {
    const chunk = known.slice(from, from + packagesAtOnce);
    const releases = await Promise.all(chunk.map((name) => files.releases(name, epoch)));
    for (const [at, name] of chunk.entries()) add(name, (kind) => releases[at]?.lastChange(kind, filterOf(view, name)));
  }
  return timed(found);
}

function lastOf(
  changes: readonly VersionChange[],
  kind: 'stable' | 'dev',
  filter: ReleaseFilter,
): RecordedChange | undefined {
  return changes.findLast(({ versions }) =>
    versions.some((one) => isDevVersion(one.version_normalized) === (kind === 'dev') && passes(filter, one)),
  );
}

/**
 * Changes of one publication have one time, and each publication a later one than that before, as the dates of views
 * have. So a follower that saw a time has seen every change before it.
 */
function timed(found: readonly Found[]): readonly DocumentChange[] {
  let [serial, time] = [0, 0];
  return found
    .toSorted((one, other) => one.serial - other.serial || one.at - other.at)
    .map(({ type, package: name, ...change }) => {
      // without a serial: published by an older version of Libretto
      if (change.serial !== serial || serial === 0)
        time = Math.max(change.at, serial === change.serial ? time : time + 1);
      serial = change.serial;
      return { type, package: name, time };
    });
}
