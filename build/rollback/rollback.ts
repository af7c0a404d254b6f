// Publishes earlier metadata again, as a new publication: by the same plan of package, staging and order as a build,
// and without any source being read. It costs what was changed since. Builds then leave alone what it undid
// (rollback-holds.ts).

import { join } from 'node:path';
import { waitForLock } from '../output/wait-for-lock.ts';
import type { BuildEffects, BuildRequest } from '../scan/build-request.ts';
import type { PublishedSource, UndoneChange } from '../contract/publication.ts';
import { openDataFolder } from '../sources/data-folder.ts';
import { momentAfter } from '../publish/dates-until.ts';
import { documentSettings } from '../documents/document-settings.ts';
import { digestSettings } from '../memory/settings-digest.ts';
import { withinHeapGrowth } from '../shared/process/heap-growth.ts';
import { unsettled } from '../memory/manifest.ts';
import { readTreeMemory, type TreeMemory } from '../memory/tree-memory.ts';
import { gatherOutcome, type PackagesOutcome } from '../publish/outcome.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import type { PackageResult } from '../package/package-stage.ts';
import { publish } from '../publish/publish.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { Run } from '../publish/run.ts';
import { leaveAll } from '../scan/choose-sources.ts';
import { nextAdvisories } from '../publish/next-advisories.ts';
import { undoneAfter } from '../package/rollback-holds.ts';
import { readPurged } from '../package/purged.ts';
import { readWithheld } from '../version-lists/withheld.ts';
import { standardKeep } from '../history/keep.ts';
import { netChanges, type NetChanges } from '../history/net-changes.ts';
import { readPending } from '../package/pending-publications.ts';
import { pruneHistory } from '../history/prune-history.ts';
import { recordsSince } from '../history/read-history.ts';
import { stageRollback } from './stage-rollback.ts';

/** How long a build that is under way is waited for, milliseconds. */
const waitMs = 60_000;

export interface RollbackReport {
  /** of the publication readers now see */
  readonly serial: number;
  readonly published: boolean;
  readonly changes: NetChanges;
  /** what builds leave undone from now on */
  readonly undone: readonly UndoneChange[];
}

export interface RollbackOrder {
  readonly to: number;
  /** nothing is published: the report says what would be */
  readonly dryRun: boolean;
}

/**
 * `request`: with the settings that builds have; what it says of sources does not matter. Throws BuildRefused where
 * publication `to` is not recorded, or an archive is gone that it names; BuildBusy and StorageError as a build does.
 */
export async function rollBack(
  order: RollbackOrder,
  request: BuildRequest,
  effects: BuildEffects,
): Promise<RollbackReport> {
  return holdingLock(request, effects, async (output, dataDirectory) => {
    const tree = await settledTree(request, effects, output);
    const { outcome, undone } = await stage(order.to, tree, { request, effects, output });
    const changes = changesOf(outcome.results, tree.sources);
    const present = tree.publication?.serial ?? 0;
    if (order.dryRun || outcome.results.every(({ history }) => history === undefined))
      return { serial: present, published: false, changes, undone };
    const run: Run = {
      ...(await runOf(tree, { request, effects, output, dataDirectory })),
      rollback: { to: order.to, undone },
    };
    const serial = await publishAs(run, outcome, request, dataDirectory);
    return { serial, published: true, changes, undone };
  });
}

/**
 * From now on builds publish again what sources have: the next one compares everything. Throws BuildRefused where
 * nothing is held.
 */
export async function liftRollbacks(request: BuildRequest, effects: BuildEffects): Promise<RollbackReport> {
  return holdingLock(request, effects, async (output, dataDirectory) => {
    const tree = await settledTree(request, effects, output);
    const undone = tree.publication?.undone ?? [];
    if (undone.length === 0) throw new BuildRefused('No rollback is in effect.');
    const run = {
      ...(await runOf(tree, { request, effects, output, dataDirectory })),
      settingsDigest: unsettled,
      lifted: true as const,
    };
    const outcome = gatherOutcome({
      results: [],
      names: tree.names,
      scanned: [],
      digests: new Map(),
      limit: undefined,
    });
    return {
      serial: await publishAs(run, outcome, request, dataDirectory),
      published: true,
      changes: { versions: [], metadata: [] },
      undone: [],
    };
  });
}

/** For a build that finds a rollback cut off, and holds the lock. */
export async function completeRollback(
  request: BuildRequest,
  effects: BuildEffects,
  output: Output,
  tree: TreeMemory,
): Promise<void> {
  const { rollback: to, settings } = tree;
  if (to === undefined || settings === undefined) throw new Error('no rollback was cut off');
  const { outcome, undone } = await stage(to, tree, { request, effects, output });
  const { dataDirectory } = request;
  // what the builder remembers stays as true as it was: a rollback begins on a tree that is whole, and reads no source
  // a rollback makes no archive: an archive that the manifest names may belong to a package that the rollback leaves
  // alone
  const whole: TreeMemory = { ...tree, trusted: true, leftovers: [] };
  const run: Run = {
    ...(await runOf(whole, { request, effects, output, dataDirectory })),
    settingsDigest: settings,
    rollback: { to, undone },
  };
  await publishAs(run, outcome, request, dataDirectory);
}

interface Place {
  readonly request: BuildRequest;
  readonly effects: BuildEffects;
  readonly output: Output;
}

async function holdingLock<Result>(
  request: BuildRequest,
  effects: BuildEffects,
  work: (output: Output, dataDirectory: string) => Promise<Result>,
): Promise<Result> {
  const dataDirectory = await openDataFolder(request.dataDirectory);
  const lock = await waitForLock(join(dataDirectory, 'build/lock'), effects.now, waitMs);
  const output = createDiskOutput(dataDirectory);
  try {
    await output.discard();
    return await withinHeapGrowth(() => work(output, dataDirectory));
  } finally {
    await output.discard();
    await lock.release();
  }
}

/** The tree as its last publication left it. Throws BuildRefused for any other. */
async function settledTree(request: BuildRequest, effects: BuildEffects, output: Output): Promise<TreeMemory> {
  const digest = digestSettings(documentSettings(request));
  const found = await readTreeMemory(output, digest);
  if (found.serial === 0) throw new BuildRefused('Nothing was published yet.');
  if (found.rollback !== undefined)
    await completeRollback(
      { ...request, dataDirectory: await openDataFolder(request.dataDirectory) },
      effects,
      output,
      found,
    );
  const tree = found.rollback === undefined ? found : await readTreeMemory(output, digest);
  if (tree.trusted) return tree;
  const whole = tree.rootIntact && tree.settings !== undefined && tree.serial === tree.publication?.serial;
  const why = whole
    ? 'The last build was given other settings of what documents say (metadataUrl, distUrl, distShasum, name, ' +
      'abandoned …), or was made by another version of Libretto, or has to be repeated as a whole. Use its ' +
      'libretto.json (--config)'
    : 'The output tree is not as the last publication left it: that was cut off, or packages.json was changed ' +
      'since. Roll back after a `libretto build`';
  throw new BuildRefused(`${why}${whole ? ', or run `libretto build` first' : ''}.`);
}

async function stage(
  to: number,
  tree: TreeMemory,
  { request, effects, output }: Place,
): Promise<{ readonly outcome: PackagesOutcome; readonly undone: readonly UndoneChange[] }> {
  const records = await recordsSince(output, to);
  const withheld = await readWithheld(output, { announced: tree.announced.withheld });
  const safety = await nextAdvisories(output, undefined, undefined);
  const results = await stageRollback({
    records,
    to,
    sources: tree.sources,
    settings: documentSettings(request),
    withheld,
    purged: await readPurged(output, { announced: tree.announced.purged }),
    safety: safety.lists,
    output,
    pending: await readPending(output, tree),
    moment: momentAfter(tree),
    pruned: tree.publication?.pruned,
    now: effects.now(),
  });
  const outcome = gatherOutcome({ results, names: tree.names, scanned: [], digests: new Map(), limit: undefined });
  return {
    outcome,
    undone: undoneAfter(
      tree.publication?.undone ?? [],
      results.flatMap(({ history }) => (history === undefined ? [] : [history.change])),
    ),
  };
}

async function runOf(
  tree: TreeMemory,
  { request, effects, output, dataDirectory }: Place & { readonly dataDirectory: string },
): Promise<Run> {
  const settings = documentSettings(request);
  const withheld = await readWithheld(output, { announced: tree.announced.withheld });
  return {
    choice: leaveAll(tree.sources, dataDirectory),
    tree,
    scanned: [],
    settings,
    settingsDigest: digestSettings(settings),
    limit: undefined,
    output,
    dataDirectory,
    withheld,
    purged: await readPurged(output, { announced: tree.announced.purged }),
    safety: await nextAdvisories(output, undefined, undefined),
    pending: await readPending(output, tree),
    by: request.by,
    now: effects.now,
    progress: effects.progress,
  };
}

async function publishAs(
  run: Run,
  outcome: PackagesOutcome,
  { keepHistory = standardKeep }: BuildRequest,
  dataDirectory: string,
): Promise<number> {
  const serial = await publish(run, outcome);
  if (serial === undefined) throw new Error('a rollback that changes something was not published');
  await pruneHistory(dataDirectory, keepHistory, { previous: run.pending.announced, serial });
  return serial;
}

function changesOf(results: readonly PackageResult[], sources: readonly PublishedSource[]): NetChanges {
  const locations = Object.fromEntries(sources.map(({ id, location }) => [id, location]));
  const packages = results.flatMap(({ history }) => (history === undefined ? [] : [history.change]));
  return netChanges([
    { format: 1, serial: 1, previous: 0, published_at: '', by: null, rollback_to: null, sources: locations, packages },
  ]);
}
