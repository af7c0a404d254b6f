// A build from beginning to end: open the data folder, take the lock, read the sources, decide and stage package by
// package, publish in order, remember. Until `publish` begins nothing a reader sees has changed, and whatever fails
// leaves it so.

import { createDeflateThreads } from './archive/deflate-threads.ts';
import { waitForLock } from './output/wait-for-lock.ts';
import { announcesAll } from './contract/announced-lists.ts';
import type { PackageName } from './contract/name.ts';
import { indexPath } from './contract/paths.ts';
import type { PurgedVersion } from './contract/purged.ts';
import { openDataFolder, refuseOverlap } from './sources/data-folder.ts';
import { momentAfter } from './publish/dates-until.ts';
import { documentSettings } from './documents/document-settings.ts';
import { digestSettings } from './memory/settings-digest.ts';
import type { BuildEffects, BuildRequest } from './scan/build-request.ts';
import { createRemoteSources } from './scan/fetch-sources.ts';
import type { RemoteSources } from './scan/open-sources.ts';
import { withinHeapGrowth } from './shared/process/heap-growth.ts';
import { standardKeep } from './history/keep.ts';
import type { PendingHistory } from './package/pending-publications.ts';
import { readTreeMemory, type TreeMemory } from './memory/tree-memory.ts';
import { openSources, type GitTimeouts, type OpenSourcesOptions } from './scan/open-sources.ts';
import { createDiskOutput } from './output/disk-output.ts';
import type { Output } from './output/output.ts';
import { gatherOutcome, type PackagesOutcome } from './publish/outcome.ts';
import { limitTo, refusePartialRepair, refuseUnknownNames } from './scan/package-limit.ts';
import { BuildBusy, FetchNeeded } from './contract/refusals.ts';
import { makeReport } from './publish/make-report.ts';
import type { BuildReport } from './contract/build-report.ts';
import { guardedLists, type Run } from './publish/run.ts';
import { isRead, scanSources } from './scan/scan.ts';
import { nextAdvisories } from './publish/next-advisories.ts';
import { asRegisteredNow } from './scan/registered-sources.ts';
import { chooseSources } from './scan/choose-sources.ts';
import type { ChosenSource } from './scan/chosen-source.ts';
import { sameSources } from './publish/published-sources.ts';
import { undoneByName, undoneNotices } from './package/rollback-holds.ts';
import { digestSources, affectedPackages } from './scan/affected-packages.ts';
import { blockedFindings } from './package/blocked-findings.ts';
import { readPurged } from './package/purged.ts';
import { readWithheld, sourcesToRead } from './version-lists/withheld.ts';

const defaultGitTimeouts: GitTimeouts = { asking: 60_000, fetching: 300_000 };

/** How long a build that has fetched something waits for others that publish, milliseconds: as long as uploads do. */
const standardWaitMs = 60_000;
/** Each is one more only because others have published, or removed, what this build had counted on. */
const mostAttempts = 10;

/**
 * Throws BuildRefused, BuildBusy or StorageError; whatever is wrong with a source or a version stands in the report
 * instead.
 */
export async function build(given: BuildRequest, effects: BuildEffects): Promise<BuildReport> {
  const request = { ...given, dataDirectory: await openDataFolder(given.dataDirectory) };
  const remote = createRemoteSources(request, effects, (memory) => openingOptions(request, effects, memory));
  try {
    for (let attempt = 1; ; attempt += 1) {
      const fetched = await remote.fetch();
      const waitMs = request.waitMs ?? (fetched > 0 ? standardWaitMs : 0);
      const lock = await waitForLock(`${request.dataDirectory}/build/lock`, effects.now, waitMs, {
        stop: effects.stop,
      });
      try {
        return await buildHoldingLock(request, effects, remote);
      } catch (error) {
        if (!(error instanceof FetchNeeded)) throw error;
        if (attempt === mostAttempts)
          throw new BuildBusy(
            `Other builds have changed what this one fetched ${mostAttempts} times. Wait until they have ended and try again.`,
          );
      } finally {
        await lock.release();
      }
    }
  } finally {
    await remote.close();
  }
}

/**
 * For whoever opened the data folder, whose real path `request` names, and holds its lock. `remote`: what was fetched
 * before; without it no remote source can be read.
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
  const { dataDirectory } = request;
  const settings = documentSettings(request);
  const settingsDigest = digestSettings(settings);
  const found = await readTreeMemory(output, settingsDigest);
  if (found.rollback !== undefined)
    await (await import('./rollback/rollback.ts')).completeRollback(request, effects, output, found);
  const tree = found.rollback === undefined ? found : await readTreeMemory(output, settingsDigest);
  const limit = limitTo(request.only);
  await refusePartialRepair(limit, tree, output);
  const choice = chooseSources(await asRegisteredNow(request), tree.sources, dataDirectory);
  for (const { spec } of choice.read) refuseOverlap(dataDirectory, spec);

  const threads = createDeflateThreads(request.jobs - 1);
  const stale = new Set([...tree.stale, ...(await sourcesToRead(output, request.withhold))]);
  const opened = await openSources(choice.read, {
    ...openingOptions(request, effects, { output, trusted: tree.trusted, stale }),
    threads,
    remote,
  });
  try {
    const scanned = await scanSources(opened, parallelScans(request.jobs, choice.read), effects.progress).finally(() =>
      threads.close(),
    );
    effects.stop?.throwIfAborted();
    refuseUnknownNames(limit, tree, scanned);
    const scanEnded = performance.now();
    const withheld = await readWithheld(output, {
      announced: tree.announced.withheld,
      change: request.withhold === undefined ? undefined : { request: request.withhold, now: effects.now() },
    });
    const purged = await readPurged(output, {
      announced: tree.announced.purged,
      more: request.purge,
      recovery: request.recoverPurged,
    });
    const safety = await nextAdvisories(output, request.safety, limit);
    const run: Run = {
      choice,
      tree,
      scanned,
      settings,
      settingsDigest,
      limit,
      output,
      dataDirectory,
      withheld,
      purged,
      safety,
      pending: await pendingOf(tree, output),
      by: request.by,
      now: effects.now,
      progress: effects.progress,
    };
    const packages = await stageAll(run, request);
    const archiveEnded = performance.now();
    effects.stop?.throwIfAborted();
    const strictlyRefused = request.strict && packages.quarantined.length > 0;
    if (!strictlyRefused && request.allowWithdraw !== true) await guardRemovals(run, packages);
    const nothingToDo = strictlyRefused || request.dryRun === true || isQuiet(run, packages);
    const serial = nothingToDo ? undefined : await (await import('./publish/publish.ts')).publish(run, packages);
    if (!nothingToDo) await (await import('./prune/prune-caches.ts')).pruneCaches(run, dataDirectory);
    if (serial !== undefined)
      await (
        await import('./history/prune-history.ts')
      ).pruneHistory(dataDirectory, request.keepHistory ?? standardKeep, { previous: run.pending.announced, serial });
    const timings = {
      scan: scanEnded - started,
      archive: archiveEnded - scanEnded,
      publish: performance.now() - archiveEnded,
      total: performance.now() - started,
    };
    const remarks = [
      ...completedNotices(found.rollback),
      ...undoneNotices(tree.publication?.undone, packages.results),
      ...opened.flatMap(({ chosen, source }) =>
        (source.remarks?.() ?? []).map((message) => ({ source: chosen.spec.location, message })),
      ),
    ];
    return makeReport({
      scanned,
      blocked: blockedFindings(scanned, packages.results, purged.rows),
      remarks,
      choice,
      tree,
      packages,
      strictlyRefused,
      serial: serial ?? tree.publication?.serial ?? 0,
      published: serial !== undefined,
      timings,
    });
  } finally {
    await Promise.all(opened.map(({ source, chosen }) => (remote?.has(chosen) === true ? undefined : source.close())));
    await output.discard();
  }
}

function openingOptions(
  { dataDirectory, archiveExcludes = [], allowedAddresses = [], gitTimeouts = defaultGitTimeouts }: BuildRequest,
  effects: BuildEffects,
  memory: Pick<OpenSourcesOptions, 'output' | 'trusted' | 'stale'>,
): OpenSourcesOptions {
  return { ...effects, dataDirectory, archiveExcludes, allowedAddresses, gitTimeouts, ...memory };
}

function completedNotices(rollback: number | undefined): BuildReport['notices'] {
  return rollback === undefined
    ? []
    : [
        {
          source: 'data folder',
          message: `A rollback to publication ${rollback} was cut off; this build completed it first.`,
        },
      ];
}

/** Remote repositories are mostly waited for. */
function parallelScans(jobs: number, sources: readonly ChosenSource[]): number {
  return Math.max(jobs, sources.some(({ spec }) => 'url' in spec.place) ? 8 : 4);
}

/**
 * Nothing to publish and nothing new to remember: the build of an unchanged tree ends here, with nothing more loaded or
 * read.
 */
function isQuiet(run: Run, packages: PackagesOutcome): boolean {
  return (
    run.tree.trusted &&
    run.tree.publication?.withdrawn !== undefined &&
    packages.results.length === 0 &&
    run.choice.forgotten.length === 0 &&
    run.safety.text === undefined &&
    run.purged.text === undefined &&
    !run.purged.asked &&
    announcesAll(run.tree.publication, guardedLists(run)) &&
    sameSources(run) &&
    !run.scanned.some(isRead)
  );
}

/** A mirrored package has no serving index. */
async function indexedAmong(rows: readonly PurgedVersion[], output: Output): Promise<readonly PackageName[]> {
  const names = [...new Set(rows.map(({ name }) => name))];
  const there = await Promise.all(names.map((name) => output.facts('index', indexPath(name))));
  return names.filter((_, at) => there[at] !== undefined);
}

async function pendingOf(tree: TreeMemory, output: Output): Promise<PendingHistory> {
  if (tree.serial === tree.publication?.serial) return { announced: tree.serial, of: () => undefined };
  return (await import('./package/pending-publications.ts')).readPending(output, tree);
}

async function guardRemovals({ choice, tree, withheld, purged }: Run, { results }: PackagesOutcome): Promise<void> {
  if (results.every(({ withdrawn }) => withdrawn.length === 0)) return;
  const { refuseRemovals } = await import('./publish/removing-guard.ts');
  refuseRemovals({
    results,
    packages: tree.names.length,
    confirmed: choice.confirmed,
    isMeant: (name, { normalized, reference }) =>
      withheld.of(name).has(normalized) || purged.blocks(name, { normalized, reference }) !== undefined,
  });
}

async function stageAll(run: Run, request: BuildRequest): Promise<PackagesOutcome> {
  const { choice, tree, scanned, settings, output, limit } = run;
  const digests = digestSources(scanned);
  const published = new Set(tree.names);
  const rethought = [
    ...(request.withhold === undefined ? [] : [request.withhold.name]),
    ...(await indexedAmong(request.purge ?? [], output)),
    ...run.safety.changed.filter((name) => published.has(name)),
  ];
  const visits = await affectedPackages({ scanned, digests, tree, choice, output, limit, rethought });
  if (visits.length === 0) return gatherOutcome({ results: [], names: tree.names, scanned, digests, limit });
  const { stagePackages } = await import('./package/packages.ts');
  const context = {
    output,
    settings,
    sources: new Map([...choice.read, ...choice.left].map(({ spec }) => [spec.id, spec.location])),
    renewed: new Set(scanned.filter(({ renewed }) => renewed).map(({ chosen }) => chosen.spec.id)),
    forgotten: new Set(choice.forgotten.map(({ id }) => id)),
    allowRepublish: request.allowRepublish,
    withheld: run.withheld,
    purged: run.purged,
    safety: run.safety.lists,
    undone: undoneByName(tree.publication?.undone),
    pending: run.pending,
    leftovers: new Set(tree.leftovers),
    moment: momentAfter(tree),
    pruned: tree.publication?.pruned,
    now: run.now(),
  };
  const results = await stagePackages({
    visits,
    scanned,
    jobs: request.jobs,
    scratchDirectory: `${request.dataDirectory}/build/staging`,
    progress: run.progress,
    context,
  });
  return gatherOutcome({ results, names: tree.names, scanned, digests, limit });
}
