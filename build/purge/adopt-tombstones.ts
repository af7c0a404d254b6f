// Adopts tombstones of another registry, or of a time after a backup. They purge the same contents here. A damaged or
// lost list is rebuilt from such rows and from the announcement (I21).

import { changeTree } from '../store/change-tree.ts';
import { buildHoldingLock } from '../build.ts';
import {
  missingRows,
  replacedTombstones,
  type AnnouncedPurge,
  type GuardedLists,
} from '../contract/announced-lists.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import { mergePurged, purgedKey, type PurgedVersion } from '../contract/purged.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { withheldPath, type WithheldVersion } from '../contract/withheld.ts';
import type { BuildRequest } from '../scan/build-request.ts';
import { inDataFolder } from '../sources/data-folder.ts';
import { readManifest } from '../memory/manifest.ts';
import { unprovenLists } from '../memory/tree-damage.ts';
import { readAnnounced } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { purgingRequest } from './purge-version.ts';
import { tombstonesOfSameBytes } from './same-bytes.ts';
import { recoveredPurges, type RecoveredPurge } from './recovered-purges.ts';
import { recoverableTombstones, storedTombstones } from '../package/purged.ts';
import type { VersionBuild } from '../artifacts/artifact-tree.ts';

/** The effect of foreign tombstones on a registry. */
export interface Adoption {
  /** rows that the list has again, or has now */
  readonly added: readonly PurgedVersion[];
  /** contents on this registry that the added rows purge */
  readonly purged: readonly RecoveredPurge[];
}

/** Plans the effect of these rows on this tree. Throws BuildRefused if the list of tombstones is damaged. */
export async function planAdoption(rows: readonly PurgedVersion[], output: Output, now: Date): Promise<Adoption> {
  const known = await storedTombstones(output);
  const fresh = mergePurged(known, rows).slice(known.length);
  const added = [...fresh, ...(await tombstonesOfSameBytes(output, fresh, now))];
  return { added, purged: await recoveredPurges(output, added) };
}

/**
 * Adds these rows to the list, and purges their contents. `confirm` sees the plan and completes it; its rejection
 * leaves the tree unchanged. Throws BuildRefused if the list is damaged. Throws BuildRefused if the list lacks
 * announced rows that the given rows lack too.
 */
export async function adoptTombstones<Plan extends Adoption>(
  rows: readonly PurgedVersion[],
  build: VersionBuild,
  confirm: (plan: Adoption) => Promise<Plan>,
): Promise<Plan> {
  return holdingLock(build, async (output, dataDirectory) => {
    const plan = await confirm(await planAdoption(rows, output, build.effects.now()));
    const names = plan.purged.map(({ name }) => name);
    if (plan.added.length > 0)
      await buildHoldingLock(recoveringRequest(build, dataDirectory, plan.added, names), build.effects);
    return plan;
  });
}

export interface Recovery extends Adoption {
  /** lost rows, without digests, reason and date: only label and reference are blocked */
  readonly replaced: readonly AnnouncedPurge[];
  /** rows of an edited list that no other record confirms */
  readonly dropped: readonly PurgedVersion[];
  /** rows of an edited list whose digests, reason and date no other record confirms */
  readonly unconfirmed: readonly PurgedVersion[];
  /** true: nothing proves that no version was withdrawn by hand */
  readonly unprovenWithdrawals: boolean;
  /** a damaged package that keeps versions of `purged` until the next build: the fault and the remedy */
  readonly damage?: string;
}

interface RecoveryPlan {
  readonly recovery: Recovery;
  /** `purgedKey` of each tombstone that another record than the list confirms */
  readonly confirmed: ReadonlySet<string>;
  /** the given rows, and those of the same bytes under another label or name */
  readonly more: readonly PurgedVersion[];
}

/**
 * Plans a recovery of the list. `rows`: the given rows; `recorded`: `purgedKey` of each tombstone in the state's
 * records of purges. Throws BuildRefused for a list of a newer version.
 */
export async function planRecovery(
  rows: readonly PurgedVersion[],
  recorded: GuardedLists,
  output: Output,
  since: Date,
): Promise<RecoveryPlan> {
  const { purged: announced } = await readAnnounced(output);
  const given = new Set(rows.map(purgedKey));
  const confirmed = new Set([...recorded.purged.map(purgedKey), ...given, ...announced.map(purgedKey)]);
  const { rows: known, dropped, edited } = await recoverableTombstones(output, confirmed);
  // the build prefers rows of a file to those of a list that was changed, and both to a purge on record
  const read = [...rows, ...(await tombstonesOfSameBytes(output, mergePurged(rows, known), since))];
  const onRecord = missingRows(recorded.purged, mergePurged(known, read));
  const more = [...read, ...onRecord];
  const merged = mergePurged(known, more);
  const missing = missingRows(announced, merged);
  const replaced = [...onRecord, ...missing];
  const added = [...merged.slice(known.length), ...replacedTombstones(missing, since)];
  const purged = await recoveredPurges(output, added);
  const unconfirmed = edited ? known.filter((row) => !given.has(purgedKey(row))) : [];
  const unprovenWithdrawals = await hasUnprovenWithdrawals(output, recorded.withheld);
  return { recovery: { added, purged, replaced, dropped, unconfirmed, unprovenWithdrawals }, confirmed, more };
}

/**
 * Executes the plan. `confirm` sees the plan and completes it; its rejection leaves the tree unchanged. Throws
 * BuildBusy and StorageError as a build does, and BuildRefused for a list of a newer version.
 */
export async function recoverTombstones(
  rows: readonly PurgedVersion[],
  recorded: GuardedLists,
  build: VersionBuild,
  confirm: (plan: Recovery) => Promise<Recovery>,
): Promise<Recovery> {
  return holdingLock(build, async (output, dataDirectory) => {
    const since = build.effects.now();
    const { recovery: plan, confirmed, more } = await planRecovery(rows, recorded, output, since);
    const recovery = await confirm(plan);
    const recoverIn = (names: readonly string[]): Promise<unknown> =>
      buildHoldingLock(
        {
          ...recoveringRequest(build, dataDirectory, more, names),
          recoverPurged: { confirmed, since, withheld: recorded.withheld },
        },
        build.effects,
      );
    try {
      await recoverIn(plan.purged.map(({ name }) => name));
      return recovery;
    } catch (error) {
      if (!(error instanceof PackageDamaged)) throw error;
      await recoverIn([]);
      return { ...recovery, damage: error.message };
    }
  });
}

/**
 * These rows may restore a lost list, so the build also accepts a lost list of withdrawn versions. `names`: the
 * packages with versions that the rows purge. Other documents may be damaged.
 */
function recoveringRequest(
  { request }: VersionBuild,
  dataDirectory: string,
  rows: readonly PurgedVersion[],
  names: readonly string[],
): BuildRequest {
  return { ...purgingRequest(request, dataDirectory, rows), recovers: 'purged', only: names };
}

async function holdingLock<Result>(
  { request, effects, waitMs }: VersionBuild,
  work: (output: Output, dataDirectory: string) => Promise<Result>,
): Promise<Result> {
  return inDataFolder(request.dataDirectory, (dataDirectory) =>
    changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, () =>
      work(createDiskOutput(dataDirectory), dataDirectory),
    ),
  );
}

/**
 * True if the list of withdrawn versions is lost and nothing proves that it was empty: a build then publishes withdrawn
 * versions again. `recorded`: the withdrawals in the state. Ask before the recovery, which writes a new announcement.
 */
async function hasUnprovenWithdrawals(output: Output, recorded: readonly WithheldVersion[]): Promise<boolean> {
  if (recorded.length > 0 || (await readManifest(output)) !== undefined) return false;
  const text = await output.read('index', publicationPath);
  const path = `index/${publicationPath}`;
  if (text !== undefined && parseOwnFile(path, () => parsePublication(text)) !== undefined) return false;
  return (await unprovenLists(output, await readAnnounced(output), true)).includes(withheldPath);
}
