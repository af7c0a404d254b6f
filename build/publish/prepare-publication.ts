// The steps of a build between scan and publication: stages the affected packages, guards against unintended removals,
// and decides if there is a change to publish.

import { announcesAll } from '../contract/announced-lists.ts';
import type { PackageName } from '../contract/name.ts';
import { indexPath } from '../contract/paths.ts';
import type { PurgedVersion } from '../contract/purged.ts';
import type { Output } from '../output/output.ts';
import type { StagingContext } from '../package/packages.ts';
import { holdsByName } from '../package/rollback-holds.ts';
import { affectedPackages, digestSources } from '../scan/affected-packages.ts';
import type { BuildRequest } from '../scan/build-request.ts';
import { isRead } from '../scan/scan.ts';
import { momentAfter } from './dates-until.ts';
import { gatherOutcome, type PackagesOutcome } from './outcome.ts';
import { sameSources } from './published-sources.ts';
import { guardedLists, type PublishContext } from './run.ts';

/** Stages every package that the scan concerns: the whole tree still shows readers the last publication. */
export async function stageAffected(run: PublishContext, request: BuildRequest): Promise<PackagesOutcome> {
  const { choice, tree, scanned, output, limit } = run;
  const digests = digestSources(scanned);
  const published = new Set(tree.names);
  const reconsidered = [
    ...(request.withhold === undefined ? [] : [request.withhold.name]),
    ...(await presentAmong(request.purge ?? [], output)),
    ...run.advisories.changed.filter((name) => published.has(name)),
  ];
  const affected = await affectedPackages({ scanned, digests, tree, choice, output, limit, reconsidered });
  if (affected.length === 0)
    return gatherOutcome({ results: [], names: tree.names, scanned, digests, limit, stagedAt: undefined });
  const context = packageContext(run, request);
  const { stagePackages } = await import('../package/packages.ts');
  const results = await stagePackages({
    affected,
    scanned,
    jobs: request.jobs,
    scratchDirectory: `${request.dataDirectory}/build/staging`,
    progress: run.progress,
    context,
  });
  return gatherOutcome({ results, names: tree.names, scanned, digests, limit, stagedAt: context.now });
}

function packageContext(run: PublishContext, request: BuildRequest): StagingContext {
  const { allowRepublish, allowWithdraw } = request;
  const hasArguments = request.arguments.length > 0;
  const { choice, tree, scanned } = run;
  return {
    output: run.output,
    settings: run.settings,
    sources: new Map([...choice.read, ...choice.left].map(({ spec }) => [spec.id, spec.shown])),
    renewed: new Set(scanned.filter(({ renewed }) => renewed).map(({ chosen }) => chosen.spec.id)),
    forgotten: new Set(choice.forgotten.map(({ id }) => id)),
    allowRepublish,
    withheld: run.withheld,
    purged: run.purged,
    advisories: run.advisories.lists,
    readsAll: [request.sync, request.received, request.among].every((one) => one === undefined) && !hasArguments,
    undone: holdsByName(tree.undone),
    pending: run.pending,
    leftovers: new Set(tree.leftovers),
    isPublished: tree.isPublished,
    mayLose: allowWithdraw === true ? 'all' : choice.left.length === 0 && scanned.every(isRead) ? 'dev' : 'nothing',
    moment: momentAfter(tree),
    pruned: tree.publication?.pruned,
    now: run.now(),
  };
}

/** The packages of the rows that have a serving index, or archives without one; a mirrored package has neither. */
async function presentAmong(rows: readonly PurgedVersion[], output: Output): Promise<readonly PackageName[]> {
  const names = [...new Set(rows.map(({ name }) => name))];
  const present = await Promise.all(
    names.map(
      async (name) =>
        (await output.facts('index', indexPath(name))) !== undefined ||
        (await output.list('public', `dist/${name}`)).length > 0,
    ),
  );
  return names.filter((_, at) => present[at]);
}

/** Throws BuildRefused if the build would probably withdraw versions by mistake (removing-guard.ts). */
export async function guardRemovals(
  { choice, tree, withheld, purged }: PublishContext,
  { results }: PackagesOutcome,
): Promise<void> {
  if (results.every(({ withdrawn }) => withdrawn.length === 0)) return;
  const { refuseRemovals } = await import('./removing-guard.ts');
  refuseRemovals({
    results,
    packages: tree.names.length,
    confirmed: choice.confirmed,
    sources: tree.sources,
    isMeant: (name, { normalized, reference }) =>
      withheld.of(name).has(normalized) || purged.blocks(name, { normalized, reference }) !== undefined,
  });
}

/**
 * True if the build has nothing to publish and nothing new to remember. The build of an unchanged tree then ends
 * without loading or reading more.
 */
export function hasNothingToPublish(run: PublishContext, packages: PackagesOutcome): boolean {
  return (
    run.tree.trusted &&
    run.tree.publication?.withdrawn !== undefined &&
    packages.results.length === 0 &&
    run.choice.forgotten.length === 0 &&
    run.advisories.text === undefined &&
    run.advisories.advised === run.tree.publication?.advised &&
    run.withheld.text === undefined &&
    run.purged.text === undefined &&
    !run.purged.asked &&
    announcesAll(run.tree.publication, guardedLists(run)) &&
    sameSources(run) &&
    !run.scanned.some(isRead)
  );
}

/**
 * True if nothing was published before, and nothing can be: each source failed, or every version has to be left out. A
 * mistyped source or a broken composer.json must not begin a registry. A registry with registered repositories has
 * begun already, and remembers what was left out. A folder without packages is no mistake.
 */
export function isFirstBuildWithoutResult(
  { tree, scanned }: PublishContext,
  { names, quarantined }: PackagesOutcome,
  registered: number,
): boolean {
  if (tree.serial > 0 || scanned.length === 0) return false;
  const isAllLeftOut = registered === 0 && names.length === 0 && quarantined.length > 0;
  return isAllLeftOut || scanned.every(({ outcome }) => outcome === 'failed');
}
