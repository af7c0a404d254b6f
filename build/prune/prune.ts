// `prune`: the only operation that removes archives from a tree. It is a publication that changes no document. The
// index drops the archives first, and the manifest names them during the removal. After a kill in between, the next
// build completes the removal.

import { applyPublication } from '../publish/apply.ts';
import { indexPath, publicationPath } from '../contract/paths.ts';
import { formatPublication, parsePublication, type Publication } from '../contract/publication.ts';
import type { PackageName } from '../contract/name.ts';
import { formatPackageIndex, type IndexEntry } from '../contract/serving-index.ts';
import { releasedVersion } from '../contract/released-version.ts';
import { openDataFolder } from '../sources/data-folder.ts';
import { changesUntilNow } from '../documents/document-changes.ts';
import { retainedArchives } from '../history/retained-archives.ts';
import { formatPublicationRecord, historyFormat, publicationRecordPath } from '../history/record.ts';
import { recordedSerials } from '../history/read-history.ts';
import { newerRecord } from '../memory/announced.ts';
import { refuseOutdated } from '../memory/tree-damage.ts';
import { formatManifest, manifestPath, readManifest, type Manifest } from '../memory/manifest.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { OpenableStore } from '../store/object-store.ts';
import { changeTree } from '../store/change-tree.ts';
import type { Output } from '../output/output.ts';
import { readPruned } from '../version-lists/pruned.ts';
import { formatPruned, prunedPath } from '../contract/pruned.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { planPackagePrune, type PackagePrune } from './prune-plan.ts';
import { noChanges, type Placement } from '../output/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';

export interface PruneRequest {
  readonly dataDirectory: string;
  /** the object store that has the tree; undefined: the data folder has it */
  readonly output?: OpenableStore | undefined;
  /** the minimum retention of unpublished contents, milliseconds */
  readonly keepForMs: number;
  /** true: the prune removes nothing */
  readonly dryRun: boolean;
  /** the actor in the form of the audit log */
  readonly actor: string;
}

export interface PruneReport {
  readonly dry_run: boolean;
  /** serial of the publication that readers now see */
  readonly serial: number;
  readonly removed: readonly (Pick<IndexEntry, 'version' | 'reference' | 'state' | 'since' | 'size' | 'path'> & {
    readonly name: string;
  })[];
  readonly files: number;
  readonly freed_bytes: number;
  /** unpublished contents that stay */
  readonly kept: { readonly recent: number; readonly recorded: number };
}

/** Throws BuildRefused for a tree that is not as its last publication left it, BuildBusy, or StorageError. */
export async function prune(request: PruneRequest, now: () => Date): Promise<PruneReport> {
  const seen = createDiskOutput(request.dataDirectory);
  if ((await seen.read('index', publicationPath)) === undefined)
    throw new BuildRefused(
      `${request.dataDirectory} contains no published tree, or its announcement file is lost: there is nothing ` +
        `to prune. Run \`libretto build\` first.`,
    );
  if (request.dryRun)
    return makeReport(await planPrune(seen, request, now()), request, (await readPosition(seen)).publication.serial);
  const dataDirectory = await openDataFolder(request.dataDirectory);
  return changeTree(dataDirectory, { now, output: request.output, waitMs: 0 }, async () => {
    const output = createDiskOutput(dataDirectory);
    await output.discard();
    return pruneWith(output, request, now());
  });
}

/** `pruneWith` requires that the caller holds the lock of the data folder. */
export async function pruneWith(output: Output, request: PruneRequest, now: Date): Promise<PruneReport> {
  const position = await readPosition(output);
  const packages = await planPrune(output, request, now);
  const changed = packages.filter(({ gone, next }) => gone.length > 0 || next.versions.length === 0);
  if (changed.length === 0) return makeReport(packages, request, position.publication.serial);
  const serial = position.publication.serial + 1;
  await writeManifest(output, { ...position.manifest, serial, placing: changed.flatMap(({ files }) => files) });
  const record = await stageRecord(output, serial, position.publication.serial, request, now);
  const indexes = await Promise.all(
    changed.map(async ({ name, next }) => ({
      file: await output.stage(formatPackageIndex(next)),
      path: indexPath(name),
    })),
  );
  const prunedLists = await Promise.all(
    changed.flatMap((plan) => (plan.releases.length === 0 ? [] : [stagePrunedList(output, plan, now)])),
  );
  const emptied = changed.flatMap(({ name, next }) => (next.versions.length === 0 ? [name] : []));
  const head = formatPublication(nextPublication(position.publication, changed, emptied, { serial, now }));
  await applyPublication(
    {
      ...noChanges,
      prunedLists,
      indexes,
      removals: changed.flatMap(({ files }) => files),
      unusedTexts: emptied.map(indexPath),
      record,
      kept: [],
      root: undefined,
      head: { file: await output.stage(head), path: publicationPath },
    },
    output,
    () => undefined,
  );
  await writeManifest(output, { ...position.manifest, serial, placing: [] });
  await output.discard();
  return makeReport(packages, request, serial);
}

function nextPublication(
  publication: Publication,
  changed: readonly PackagePrune[],
  emptied: readonly PackageName[],
  { serial, now }: { readonly serial: number; readonly now: Date },
): Publication {
  const { withdrawn } = publication;
  return {
    ...publication,
    serial,
    published_at: now.toISOString(),
    ...(withdrawn === undefined ? {} : { withdrawn: withdrawn.filter((name) => !emptied.includes(name)) }),
    pruned: { ...publication.pruned, ...prunedChanges(changed) },
  };
}

/**
 * Keeps the change dates of packages without an index, since lists of views are dated by them. An earlier date would
 * belong to another list.
 */
function prunedChanges(packages: readonly PackagePrune[]): NonNullable<Publication['pruned']> {
  const emptied = packages.filter(({ next }) => next.versions.length === 0);
  return Object.fromEntries(
    emptied.map(({ name, next: { documents }, gone }) => {
      const known = gone.map(releasedVersion);
      return [name, [...changesUntilNow(documents.stable, known), ...changesUntilNow(documents.dev, known)]];
    }),
  );
}

/** The bytes of the releases that this prune removes are remembered, and compared when one returns (I3). */
async function stagePrunedList(output: Output, { name, releases }: PackagePrune, now: Date): Promise<Placement> {
  const rows = releases.map(({ version, version_normalized, reference, shasum }) => ({
    version,
    version_normalized,
    reference,
    shasum,
    since: now.toISOString(),
  }));
  return { file: await output.stage(formatPruned(await readPruned(output, name), rows)), path: prunedPath(name) };
}

/**
 * Returns publication and manifest, if both have the same serial. After an interrupted publication the manifest still
 * holds its intent: the prune keeps the duty to remove purged versions, and is no rollback.
 */
async function readPosition(
  output: Output,
): Promise<{ readonly publication: Publication; readonly manifest: Manifest }> {
  const head = await output.read('index', publicationPath);
  const publication =
    head === undefined ? undefined : parseOwnFile(`index/${publicationPath}`, () => parsePublication(head));
  const found = await readManifest(output);
  if (publication !== undefined && found?.serial === publication.serial) {
    refuseOutdated(newerRecord(publication.serial, await recordedSerials(output)), undefined);
    const { rollback: _rollback, undone: _undone, ...manifest } = found;
    const { sources, undone } = publication;
    return { publication, manifest: { ...manifest, sources, ...(undone === undefined ? {} : { undone }) } };
  }
  throw new BuildRefused(
    "The tree differs from the last publication: the publication was interrupted, or the builder's memory was " +
      'lost. Run ' +
      '`libretto build` first.',
  );
}

async function planPrune(output: Output, { keepForMs }: PruneRequest, now: Date): Promise<readonly PackagePrune[]> {
  const limits = { until: now.getTime() - keepForMs, recorded: await retainedArchives(output) };
  const plans: PackagePrune[] = [];
  for (const name of await listTreePackages(output)) {
    const plan = await planPackagePrune(output, name, limits);
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

async function writeManifest(output: Output, manifest: Manifest): Promise<void> {
  const file = await output.stage(formatManifest(manifest));
  await output.settle([file]);
  await output.publish(file, 'build', manifestPath);
  await output.barrier();
}

/** A prune writes a history record, because each publication names the one before. */
async function stageRecord(
  output: Output,
  serial: number,
  previous: number,
  { actor }: PruneRequest,
  now: Date,
): Promise<Placement> {
  const record = formatPublicationRecord({
    format: historyFormat,
    serial,
    previous,
    published_at: now.toISOString(),
    by: { actor, command: 'prune' },
    rollback_to: null,
    sources: {},
    packages: [],
  });
  return { file: await output.stage(record), path: publicationRecordPath(serial) };
}

function makeReport(packages: readonly PackagePrune[], { dryRun }: PruneRequest, serial: number): PruneReport {
  const sum = (numberOf: (plan: PackagePrune) => number): number =>
    packages.reduce((total, plan) => total + numberOf(plan), 0);
  return {
    dry_run: dryRun,
    serial,
    removed: packages.flatMap(({ name, gone }) =>
      gone.map(({ version, reference, state, since, size, path }) => ({
        name,
        version,
        reference,
        state,
        since,
        size,
        path,
      })),
    ),
    files: sum(({ files }) => files.length),
    freed_bytes: sum(({ freedBytes }) => freedBytes),
    kept: { recent: sum(({ kept }) => kept.recent), recorded: sum(({ kept }) => kept.recorded) },
  };
}
