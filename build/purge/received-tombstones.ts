// Decides which tombstones of a received tree a build adopts, and writes the report about them. A received tree decides
// for its own versions and for versions without a source here. The contents of other sources stay, and the report names
// them.

import type { PackageName } from '../contract/name.ts';
import { lookUpPurged, mergePurged, purgedKey, type PurgedVersion } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import type { SourceSpec } from '../sources/spec.ts';
import { purgeCommand } from '../version-lists/purge-command.ts';
import { listPurged } from '../package/purged.ts';
import { contentsHere, tombstonesOfSameBytes } from './same-bytes.ts';

export interface ReceivedTombstones {
  /** new ones; their source is the received tree */
  readonly adopted: readonly PurgedVersion[];
  /** tombstones of contents that another source publishes here */
  readonly left: readonly PurgedVersion[];
}

/**
 * `rows`: of the tree. Contents of this registry with the bytes of a row count as purged too, as in a recovery. Throws
 * BuildRefused if the list of this registry is damaged.
 */
export async function decideTombstones(
  rows: readonly PurgedVersion[],
  { id }: Pick<SourceSpec, 'id'>,
  output: Output,
  now: Date,
): Promise<ReceivedTombstones> {
  const known = await listPurged(output);
  const added = mergePurged(known, rows)
    .slice(known.length)
    .map((row) => (row.source === null ? row : { ...row, source: id }));
  const fresh = [...added, ...(await tombstonesOfSameBytes(output, added, now))];
  const entries = new Map<PackageName, readonly IndexEntry[]>();
  for (const { name } of fresh) if (!entries.has(name)) entries.set(name, (await contentsHere(output, name)) ?? []);
  const isOfOthers = (row: PurgedVersion): boolean => {
    const { blocks } = lookUpPurged([row]);
    return (entries.get(row.name) ?? []).some(
      ({ source, version_normalized: normalized, reference }) =>
        source !== id && blocks(row.name, { normalized, reference }) !== undefined,
    );
  };
  const left = fresh.filter(isOfOthers);
  const keys = new Set(left.map(purgedKey));
  return { adopted: fresh.filter((row) => !keys.has(purgedKey(row))), left };
}

/** Returns lines of the report. `published`: false in a dry run, or if `--strict` prevents the publication. */
export function tombstoneNotices({ adopted, left }: ReceivedTombstones, published: boolean): readonly string[] {
  const listed = adopted.map(({ name, version, reason }) => `${name} ${version} (${reason})`);
  const some = `${listed.slice(0, mostNamed).join(', ')}${listed.length > mostNamed ? ` and ${listed.length - mostNamed} more` : ''}`;
  return [
    ...(adopted.length === 0
      ? []
      : [
          published
            ? `The tree has tombstones. These versions are purged here too: ${some}.`
            : `The tree has tombstones. Publishing it would purge here too: ${some}.`,
        ]),
    ...left.map((row) => {
      const { name, version, reason } = row;
      return (
        `${name} ${version} was purged where the tree was built (${reason}). Another source publishes it here, ` +
        `so that it stays. If it must go: ${purgeCommand(row, reason)}`
      );
    }),
  ];
}

const mostNamed = 20;
