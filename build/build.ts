// A build from beginning to end: open the data folder, fetch remote sources, take the lock, read the sources, decide
// and stage package by package, publish in order, remember. Readers see no change before `publish` begins, nor after an
// earlier failure.

import { createDeflateThreads } from './archive/deflate-threads.ts';
import { changeTree } from './store/change-tree.ts';
import { inDataFolder, refuseOverlap } from './sources/data-folder.ts';
import { type BuildEffects, type BuildRequest, openingOptions } from './scan/build-request.ts';
import { createRemoteSources } from './scan/fetch-sources.ts';
import { type RemoteSources, openSources, type OpenSourcesOptions } from './scan/open-sources.ts';
import { withinHeapGrowth } from './shared/process/heap-growth.ts';
import { standardKeep } from './history/keep.ts';
import type { PendingHistory } from './package/pending-publications.ts';
import { type TreeMemory, readTreeMemory } from './memory/tree-memory.ts';
import { createDiskOutput } from './output/disk-output.ts';
import type { Output } from './output/output.ts';
import type { PackagesOutcome } from './publish/outcome.ts';
import {
  guardRemovals,
  isFirstBuildWithoutResult,
  hasNothingToPublish,
  stageAffected,
} from './publish/prepare-publication.ts';
import { refuseUnknownNames, limitTo, canBeLimited, refusePartialRepair } from './scan/package-limit.ts';
import { BuildBusy, FetchNeeded } from './contract/refusals.ts';
import { refuseCopies } from './publish/refuse-copies.ts';
import { makeReport, timingsOf } from './publish/make-report.ts';
import { dataFolder, type BuildReport } from './contract/build-report.ts';
import type { PublishContext } from './publish/run.ts';
import { scanSources, type OpenSource } from './scan/scan.ts';
import { nextAdvisories } from './publish/next-advisories.ts';
import { refuseUnreadMoves, readFormerPlaces } from './scan/moved-sources.ts';
import type { ChosenSource } from './scan/chosen-source.ts';
import { holdNotices } from './package/rollback-holds.ts';
import { blockedFindings } from './package/blocked-findings.ts';
import { readLists, withRecorded } from './publish/read-lists.ts';
import { sourcesToRead } from './version-lists/withheld.ts';
import { documentSettings } from './documents/document-settings.ts';
import { digestSettings } from './memory/settings-digest.ts';
import { refuseUnproven, refuseOutdated } from './memory/tree-damage.ts';
import { asRegisteredNow } from './scan/registered-sources.ts';
import { coverSources, lostAnnouncement } from './scan/lost-announcement.ts';
import { chooseSources } from './scan/choose-sources.ts';

/** Milliseconds that a build with fetched sources waits for the lock: as long as uploads wait. */
const standardWaitMs = 60_000;
/** A new attempt follows only if another build has published, or removed, a version that this build relied on. */
const mostAttempts = 10;

/** Throws BuildRefused, BuildBusy or StorageError. The report has the faults of single sources and versions. */
export function build(request: BuildRequest, effects: BuildEffects): Promise<BuildReport> {
  return inDataFolder(request.dataDirectory, (dataDirectory) => buildIn({ ...request, dataDirectory }, effects));
}

async function buildIn(request: BuildRequest, effects: BuildEffects): Promise<BuildReport> {
  const remote = createRemoteSources(request, effects, (memory) => openingOptions(request, effects, memory));
  try {
    for (let attempt = 1; ; attempt += 1) {
      const fetched = await remote.fetch();
      const waitMs = request.waitMs ?? (fetched > 0 ? standardWaitMs : 0);
      try {
        return await changeTree(request.dataDirectory, { ...effects, output: request.output, waitMs }, () =>
          buildHoldingLock(request, effects, remote),
        );
      } catch (error) {
        if (!(error instanceof FetchNeeded)) throw error;
        if (attempt === mostAttempts)
          throw new BuildBusy(
            `Other builds have changed the fetched data ${mostAttempts} times. ` +
              'Wait until they have ended and try again.',
          );
      }
    }
  } finally {
    await remote.close();
  }
}

/**
 * For callers that hold the lock of the data folder, whose real path `request` names. `remote`: sources that were
 * fetched before; without it no remote source can be read.
 */
export async function buildHoldingLock(
  request: BuildRequest,
  effects: BuildEffects,
  remote?: RemoteSources,
): Promise<BuildReport> {
  const output = createDiskOutput(request.dataDirectory);
  await output.discard();
  return withinHeapGrowth(() => buildLocked(request, effects, output, remote));
}

async function buildLocked(
  request: BuildRequest,
  effects: BuildEffects,
  output: Output,
  remote: RemoteSources | undefined,
): Promise<BuildReport> {
  const started = performance.now() - (remote?.elapsedMs() ?? 0);
  const opening = await openTree(request, effects, output);
  const { tree, limit, choice } = opening;
  const threads = createDeflateThreads(request.jobs - 1);
  const stale = new Set([...tree.stale, ...(await sourcesToRead(output, request.withhold))]);
  const options = await openingOptions(request, effects, { output, trusted: tree.trusted, stale });
  const opened = await openSources(choice.read, { ...options, threads, remote });
  try {
    const scan = scanSources(opened, parallelScans(request.jobs, choice.read), effects.progress);
    const scanned = await scan.finally(() => threads.close());
    effects.stop?.throwIfAborted();
    refuseUnknownNames(limit, tree, scanned);
    const scanEnded = performance.now();
    const run = await openRun(request, effects, opening, scanned);
    const packages = await stageAffected(run, request);
    const archiveEnded = performance.now();
    effects.stop?.throwIfAborted();
    const { serial, strictlyRefused } = await publishUnlessRefused(run, packages, request);
    return makeReport({
      scanned,
      blocked: blockedFindings(scanned, packages.results, run.purged.rows),
      remarks: remarksOf(opening, packages, opened, options),
      choice,
      tree,
      packages,
      strictlyRefused,
      serial: serial ?? tree.publication?.serial ?? 0,
      published: serial !== undefined,
      timings: timingsOf([started, scanEnded, archiveEnded, performance.now()]),
    });
  } finally {
    await closeSources(opened, remote).then(() => output.discard());
  }
}

/** Remote sources stay open for the next attempt. */
async function closeSources(opened: readonly OpenSource[], remote: RemoteSources | undefined): Promise<void> {
  await Promise.all(opened.map(({ source, chosen }) => (remote?.has(chosen) === true ? undefined : source.close())));
}

/** The state of a build before it reads a source. */
interface Opening extends Pick<PublishContext, 'settings' | 'settingsDigest' | 'output' | 'tree' | 'limit' | 'choice'> {
  /** the publication to which this build completed an interrupted rollback first */
  readonly completedRollback: number | undefined;
}

/** Completes an interrupted rollback, and chooses the sources. Throws BuildRefused. */
async function openTree(request: BuildRequest, effects: BuildEffects, output: Output): Promise<Opening> {
  const settings = documentSettings(request);
  const settingsDigest = digestSettings(settings);
  const found = await readTreeMemory(output, settingsDigest);
  if (found.rollback !== undefined)
    await (
      await import('./rollback/rollback.ts')
    ).completeRollback({ request, effects, output, dataDirectory: request.dataDirectory }, found);
  const read = found.rollback === undefined ? found : await readTreeMemory(output, settingsDigest);
  refuseOutdated(read.newerRecord, request.recovers);
  if (read.namesComplete) refuseUnproven(read.unproven, request.recovers);
  const tree = withRecorded(read, request.recoverPurged);
  const limit = limitTo(request.recovers === undefined || canBeLimited(tree) ? request.only : undefined);
  if (request.recovers === undefined) await refusePartialRepair(limit, tree, output);
  const lost = await lostAnnouncement(tree, output, request.dataDirectory);
  const { dataDirectory, relocate } = request;
  const formerPlaces = await readFormerPlaces(output, tree.sources, dataDirectory, relocate !== undefined);
  const chosen = chooseSources(
    { ...(await asRegisteredNow(request)), lost, formerPlaces },
    tree.sources,
    dataDirectory,
  );
  const choice = lost === undefined ? chosen : await coverSources(request, chosen, output, lost);
  for (const { spec } of choice.read) refuseOverlap(dataDirectory, spec);
  return { settings, settingsDigest, output, tree, limit, choice, completedRollback: found.rollback };
}

/** Reads the lists that the versions of this build are checked against. Throws BuildRefused for an unread move. */
async function openRun(
  request: BuildRequest,
  effects: BuildEffects,
  { completedRollback: _completed, ...opening }: Opening,
  scanned: PublishContext['scanned'],
): Promise<PublishContext> {
  const { output, tree, limit, choice } = opening;
  refuseUnreadMoves(choice.moves, scanned);
  const lists = await readLists(output, tree.announced, request, effects.now());
  const advisories = await nextAdvisories(output, request.advisories, { limit, advised: tree.publication?.advised });
  const pending = await pendingOf(tree, output);
  const { dataDirectory, by } = request;
  const { now, progress } = effects;
  return { ...opening, ...lists, scanned, dataDirectory, advisories, pending, by, now, progress };
}

async function pendingOf(tree: TreeMemory, output: Output): Promise<PendingHistory> {
  if (tree.serial === tree.publication?.serial) return { announced: tree.serial, of: () => undefined };
  return (await import('./package/pending-publications.ts')).readPending(output, tree);
}

/** `serial`: of the new publication; undefined if the served tree is unchanged. */
async function publishUnlessRefused(
  run: PublishContext,
  packages: PackagesOutcome,
  { strict, dryRun, allowWithdraw, mayBeEmpty, registered = [], dataDirectory, keepHistory }: BuildRequest,
): Promise<{ readonly serial: number | undefined; readonly strictlyRefused: boolean }> {
  await refuseCopies(run, packages);
  const strictlyRefused = strict && packages.quarantined.length > 0;
  if (!strictlyRefused && allowWithdraw !== true) await guardRemovals(run, packages);
  const isVain = mayBeEmpty !== true && isFirstBuildWithoutResult(run, packages, registered.length);
  if (strictlyRefused || dryRun === true || isVain || hasNothingToPublish(run, packages))
    return { serial: undefined, strictlyRefused };
  const serial = await (await import('./publish/publish.ts')).publish(run, packages);
  await (await import('./prune/prune-caches.ts')).pruneCaches(run, dataDirectory);
  if (serial !== undefined) {
    const { pruneHistory } = await import('./history/prune-history.ts');
    const lastTwo = { previous: run.pending.announced, serial };
    await pruneHistory(dataDirectory, keepHistory ?? standardKeep, lastTwo);
  }
  return { serial, strictlyRefused };
}

function remarksOf(
  { tree, completedRollback }: Opening,
  { results }: PackagesOutcome,
  opened: readonly OpenSource[],
  { signers }: OpenSourcesOptions,
): BuildReport['notices'] {
  const completed = `A rollback to publication ${completedRollback} was interrupted; this build completed it first.`;
  return [
    ...(completedRollback === undefined ? [] : [{ source: dataFolder, message: completed }]),
    ...(signers?.remarks ?? []).map((message) => ({ source: dataFolder, message })),
    ...holdNotices(tree.undone, results),
    ...opened.flatMap(({ chosen, source }) =>
      (source.remarks?.() ?? []).map((message) => ({ source: chosen.spec.location, message })),
    ),
  ];
}

/** A scan of a remote repository mostly waits for the network, so more of them run concurrently. */
function parallelScans(jobs: number, sources: readonly ChosenSource[]): number {
  return Math.max(jobs, sources.some(({ spec }) => 'url' in spec.place) ? 8 : 4);
}
