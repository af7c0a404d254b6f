// Stages one package of one build: reads the published versions and the contributions of sources, decides, and stages
// the result. No published file changes here.

import { effectiveState } from './effective-state.ts';
import type { PackageName } from '../contract/name.ts';
import { readPackageState, type PackageState } from './package-state.ts';
import { stagePackage, type PackageResult } from './package-stage.ts';
import { createTextStager } from './package-texts.ts';
import { keepVersion } from './keep-version.ts';
import { restoreArchives } from './lost-archives.ts';
import { makeVersion, type BuiltVersion } from './make-version.ts';
import type { PackageContext, PublishedRecord, VersionContext } from './package-context.ts';
import { decidePackage } from './decide-package.ts';
import type { Contribution, FreshRelease, PackageDecision } from './package-decision.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { readPruned } from '../version-lists/pruned.ts';
import { PurgedBytes } from '../version-lists/purged-bytes.ts';
import { splitPurged, withoutPurged, type BlockedRelease } from './exclude-purged.ts';
import { GitFailure } from '../sources/git-failure.ts';
import { QuarantineError, type Quarantine } from '../contract/quarantine.ts';
import type { Release } from '../sources/release.ts';
import { unresolvedSources, excludeRolledBack, holdSteps } from './rollback-holds.ts';

/** Lets the files of one archive be read while another is compressed. */
const parallelArchives = 4;

type Refusal = PackageDecision['refused'][number];

/**
 * `contributionsTo`: of the sources that have something for the package, and of these that were read, which have
 * published some of it.
 */
export async function buildPackage(
  name: PackageName,
  contributionsTo: (publishers: ReadonlySet<string>) => readonly Contribution[],
  given: PackageContext,
): Promise<PackageResult> {
  const former = effectiveState(await readPackageState(name, given), given.pending.of(name));
  const { state, dropped } = splitPurged(name, former, given.purged);
  const context: VersionContext = { ...given, texts: createTextStager(name, state.texts, given.output) };
  const undone = context.undone.get(name) ?? [];
  const { contributions: offered, blocked } = withoutPurged(
    name,
    contributionsTo(new Set([...state.index.versions, ...dropped].map(({ source }) => source))),
    given.purged,
  );
  const contributions = excludeRolledBack(offered, undone, state.index.versions);
  const decided = decidePackage({
    name,
    entries: state.index.versions,
    contributions,
    sources: context.sources,
    forgotten: context.forgotten,
    allowRepublish: context.allowRepublish,
    withheld: context.withheld.of(name),
    pruned: await readPruned(context.output, name),
  });
  const { decision, ...restored } = await restoreArchives(name, decided, context);
  const leftOut = { refused: [...decision.refused], blocked: [...blocked] };
  const versions = await carryOut(name, decision, state, context, leftOut);
  const all = { contributions: offered, entries: state.index.versions };
  const rolledBack = { undone: holdSteps(undone, all, decided), unresolved: unresolvedSources(undone, all) };
  return stagePackage(
    name,
    { contributions, former, state, decision, restored, ...versions, ...leftOut, dropped, ...rolledBack },
    context,
  );
}

/** Keeps and makes the versions that were decided on. A version that cannot be made is added to `leftOut`. */
async function carryOut(
  name: PackageName,
  decision: PackageDecision,
  state: PackageState,
  context: VersionContext,
  leftOut: OmittedReleases,
): Promise<{ readonly publishedRecords: readonly PublishedRecord[]; readonly made: readonly BuiltVersion[] }> {
  const publishedRecords: PublishedRecord[] = [];
  for (const unchanged of decision.kept)
    publishedRecords.push(await keepOrRefuse(name, unchanged, state, context, leftOut.refused));
  const results = await runBatch(decision.fresh, parallelArchives, (fresh) =>
    makeOrRefuse(name, fresh, state, context, leftOut),
  );
  for (const [at, { replaces }] of decision.fresh.entries()) {
    if (results[at] === undefined && replaces !== undefined)
      publishedRecords.push(await keepVersion(name, { entry: replaces, release: undefined }, state, context));
  }
  return { publishedRecords, made: results.filter((result) => result !== undefined) };
}

interface OmittedReleases {
  readonly refused: Refusal[];
  readonly blocked: BlockedRelease[];
}

async function makeOrRefuse(
  name: PackageName,
  fresh: FreshRelease,
  state: PackageState,
  context: VersionContext,
  { refused, blocked }: OmittedReleases,
): Promise<BuiltVersion | undefined> {
  try {
    return await makeVersion(name, fresh, state, context);
  } catch (error) {
    if (error instanceof PurgedBytes) {
      blocked.push({
        source: fresh.source,
        version: fresh.release.version,
        where: fresh.release.where,
        tombstone: error.tombstone,
      });
      return undefined;
    }
    refused.push({ source: fresh.source, quarantine: quarantineOf(error, fresh.release) });
    return undefined;
  }
}

/** A record that must be rebuilt and cannot be: the published one stays. */
async function keepOrRefuse(
  name: PackageName,
  kept: PackageDecision['kept'][number],
  state: PackageState,
  context: VersionContext,
  refused: Refusal[],
): Promise<PublishedRecord> {
  const { entry, release } = kept;
  try {
    return await keepVersion(name, kept, state, context);
  } catch (error) {
    if (release === undefined) throw error;
    refused.push({ source: entry.source, quarantine: quarantineOf(error, release) });
    return keepVersion(name, { entry, release: undefined }, state, context);
  }
}

/** Rethrows errors that do not concern this one version. */
function quarantineOf(error: unknown, release: Release): Quarantine {
  const about = { where: release.where, name: release.name, version: release.version };
  if (error instanceof QuarantineError) return { code: error.code, message: error.message, ...about };
  if (error instanceof GitFailure) return { code: 'BROKEN_OBJECT', message: error.message, ...about };
  throw error;
}
