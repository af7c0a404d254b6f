// Publishes earlier metadata again as a new publication, through the plan, staging and order of a build. A rollback
// reads no source, and its cost depends on the changes since then. Later builds keep the rolled back changes out
// (package/rollback-holds.ts).

import type { BuildEffects, BuildRequest } from '../scan/build-request.ts';
import type { PublishedSource, RollbackHold } from '../contract/publication.ts';
import { momentAfter } from '../publish/dates-until.ts';
import { documentSettings } from '../documents/document-settings.ts';
import { digestSettings } from '../memory/settings-digest.ts';
import { unknownSettings } from '../memory/manifest.ts';
import { readTreeMemory, type TreeMemory } from '../memory/tree-memory.ts';
import { gatherOutcome, type PackagesOutcome } from '../publish/outcome.ts';
import type { PackageResult } from '../package/package-stage.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { nextAdvisories } from '../publish/next-advisories.ts';
import { changedTree } from '../scan/lost-announcement.ts';
import { holdsAfter } from '../package/rollback-holds.ts';
import { netChanges, type NetChanges } from '../history/net-changes.ts';
import { readPending } from '../package/pending-publications.ts';
import { readPresentLists } from '../publish/read-lists.ts';
import { recordsSince } from '../history/read-history.ts';
import { stageRollback, type StaysOut } from './stage-rollback.ts';
import { standardKeep } from '../history/keep.ts';
import { pruneHistory } from '../history/prune-history.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { changeTree } from '../store/change-tree.ts';
import { publish } from '../publish/publish.ts';
import type { PublishContext } from '../publish/run.ts';
import { leaveAll } from '../scan/choose-sources.ts';
import { withinHeapGrowth } from '../shared/process/heap-growth.ts';
import { openDataFolder } from '../sources/data-folder.ts';

// A rollback runs as a build without sources: this file takes the build lock, makes the run and publishes it.

/** The longest wait for a build in progress, in milliseconds. */
const waitMs = 60_000;

interface RollbackPlace {
  readonly request: BuildRequest;
  readonly effects: BuildEffects;
  readonly output: Output;
  /** the real path */
  readonly dataDirectory: string;
}

/** Runs `work` under the build lock, and deletes staged files before and after it. */
async function holdingLock<Result>(
  request: BuildRequest,
  effects: BuildEffects,
  work: (place: RollbackPlace) => Promise<Result>,
): Promise<Result> {
  const dataDirectory = await openDataFolder(request.dataDirectory);
  return changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, async () => {
    const output = createDiskOutput(dataDirectory);
    try {
      await output.discard();
      return await withinHeapGrowth(() => work({ request, effects, output, dataDirectory }));
    } finally {
      await output.discard();
    }
  });
}

/** A run of the build that reads no source. */
async function runWithoutSources(
  tree: TreeMemory,
  { request, effects, output, dataDirectory }: RollbackPlace,
): Promise<PublishContext> {
  const settings = documentSettings(request);
  const lists = await readPresentLists(output, tree.announced, request.recovers, effects.now());
  return {
    choice: leaveAll(tree.sources, dataDirectory),
    tree,
    scanned: [],
    settings,
    settingsDigest: digestSettings(settings),
    limit: undefined,
    output,
    dataDirectory,
    ...lists,
    advisories: await nextAdvisories(output, undefined, { advised: tree.publication?.advised }),
    pending: await readPending(output, tree),
    by: request.by,
    now: effects.now,
    progress: effects.progress,
  };
}

/** Publishes, deletes history that is past its age, and gives the serial of the publication. */
async function publishAndPrune(
  run: PublishContext,
  outcome: PackagesOutcome,
  { request: { keepHistory = standardKeep }, dataDirectory }: RollbackPlace,
): Promise<number> {
  const serial = await publish(run, outcome);
  if (serial === undefined) throw new Error('a rollback that changes something was not published');
  await pruneHistory(dataDirectory, keepHistory, { previous: run.pending.announced, serial });
  return serial;
}

export interface RollbackReport {
  /** the serial of the current publication */
  readonly serial: number;
  readonly published: boolean;
  readonly changes: NetChanges;
  /** the changes that later builds do not publish */
  readonly undone: readonly RollbackHold[];
  /** versions of that publication that are not offered again */
  readonly staysOut: readonly StaysOut[];
}

export interface RollbackOrder {
  readonly to: number;
  /** true: the report contains the planned changes, and the rollback publishes nothing */
  readonly dryRun: boolean;
}

/**
 * Rolls the tree back to publication `to`. `request` has the settings of a build; a rollback ignores its sources.
 * Throws BuildRefused if publication `to` has no record, or one of its archives is missing. Throws BuildBusy and
 * StorageError as a build does.
 */
export async function rollBack(
  order: RollbackOrder,
  request: BuildRequest,
  effects: BuildEffects,
): Promise<RollbackReport> {
  return holdingLock(request, effects, async (place) => {
    const tree = await settledTree(place);
    const { outcome, undone, staysOut } = await stage(order.to, tree, place);
    const changes = changesOf(outcome.results, tree.sources);
    const present = tree.publication?.serial ?? 0;
    if (order.dryRun || outcome.results.every(({ history }) => history === undefined))
      return { serial: present, published: false, changes, undone, staysOut };
    const run = { ...(await runWithoutSources(tree, place)), rollback: { to: order.to, undone } };
    const serial = await publishAndPrune(run, outcome, place);
    return { serial, published: true, changes, undone, staysOut };
  });
}

/**
 * Ends all rollbacks: builds publish the versions of their sources again, and the next build reads all sources. Throws
 * BuildRefused if no rollback is in effect.
 */
export async function liftRollbacks(request: BuildRequest, effects: BuildEffects): Promise<RollbackReport> {
  return holdingLock(request, effects, async (place) => {
    const tree = await settledTree(place);
    const undone = tree.undone ?? [];
    if (undone.length === 0) throw new BuildRefused('No rollback is in effect.');
    const run = {
      ...(await runWithoutSources(tree, place)),
      settingsDigest: unknownSettings,
      endsRollbacks: true as const,
    };
    const outcome = outcomeOf([], tree);
    return {
      serial: await publishAndPrune(run, outcome, place),
      published: true,
      changes: { versions: [], metadata: [] },
      undone: [],
      staysOut: [],
    };
  });
}

/** Completes an interrupted rollback for a build that holds the lock. `place.request`: the request of that build. */
export async function completeRollback(place: RollbackPlace, tree: TreeMemory): Promise<void> {
  const { rollback: to, settings } = tree;
  if (to === undefined || settings === undefined) throw new Error('no rollback was interrupted');
  const { outcome, undone } = await stage(to, tree, place);
  // A rollback starts from a complete tree, reads no source and makes no archive. So the builder's memory stays valid.
  // An archive in the manifest may belong to a package that the rollback does not change.
  const whole: TreeMemory = { ...tree, trusted: true, leftovers: [] };
  const run = {
    ...(await runWithoutSources(whole, place)),
    settingsDigest: settings,
    rollback: { to, undone },
  };
  await publishAndPrune(run, outcome, place);
}

/** The memory of a tree that is unchanged since its last publication. Throws BuildRefused for a changed tree. */
async function settledTree(place: RollbackPlace): Promise<TreeMemory> {
  const { request, output } = place;
  const digest = digestSettings(documentSettings(request));
  const found = await readTreeMemory(output, digest);
  if (found.serial === 0) throw new BuildRefused('Nothing was published yet.');
  if (found.rollback !== undefined) await completeRollback(place, found);
  const tree = found.rollback === undefined ? found : await readTreeMemory(output, digest);
  if (tree.trusted) return tree;
  const whole = tree.rootIntact && tree.settings !== undefined && tree.serial === tree.publication?.serial;
  const why = whole
    ? 'The last build used other settings for documents (metadataUrl, distUrl, distShasum, name, ' +
      'abandoned …), or was made by another version of Libretto, or must be repeated completely. Use its ' +
      'libretto.json (--config)'
    : `${changedTree(tree)}. Roll back after a \`libretto build\``;
  throw new BuildRefused(`${why}${whole ? ', or run `libretto build` first' : ''}.`);
}

interface Staged extends Pick<RollbackReport, 'undone' | 'staysOut'> {
  readonly outcome: PackagesOutcome;
}

async function stage(to: number, tree: TreeMemory, { request, effects, output }: RollbackPlace): Promise<Staged> {
  const records = await recordsSince(output, to);
  const lists = await readPresentLists(output, tree.announced, request.recovers, effects.now());
  const advisories = await nextAdvisories(output, undefined, { advised: tree.publication?.advised });
  const now = effects.now();
  const { results, staysOut } = await stageRollback({
    records,
    to,
    sources: tree.sources,
    settings: documentSettings(request),
    ...lists,
    advisories: advisories.lists,
    output,
    pending: await readPending(output, tree),
    moment: momentAfter(tree),
    pruned: tree.publication?.pruned,
    isPublished: tree.isPublished,
    now,
  });
  return {
    outcome: outcomeOf(results, tree, now),
    staysOut,
    undone: holdsAfter(
      tree.undone ?? [],
      results.flatMap(({ history }) => (history === undefined ? [] : [history.change])),
    ),
  };
}

function outcomeOf(results: readonly PackageResult[], { names }: TreeMemory, stagedAt?: Date): PackagesOutcome {
  return gatherOutcome({ results, names, scanned: [], digests: new Map(), limit: undefined, stagedAt });
}

function changesOf(results: readonly PackageResult[], sources: readonly PublishedSource[]): NetChanges {
  const locations = Object.fromEntries(sources.map(({ id, location }) => [id, location]));
  const packages = results.flatMap(({ history }) => (history === undefined ? [] : [history.change]));
  return netChanges([
    { format: 1, serial: 1, previous: 0, published_at: '', by: null, rollback_to: null, sources: locations, packages },
  ]);
}
