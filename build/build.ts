// A build from beginning to end: open the data folder, take the lock, read the sources, decide and stage package by package, publish in order,
// remember. Until `publish` begins nothing a reader sees has changed, and whatever fails leaves it so.

import { applyPublication } from './apply.ts';
import { publicationPath, rootDocumentPath } from './contract/paths.ts';
import { formatPublication, publicationFormat, type PublishedSource } from './contract/publication.ts';
import { openDataFolder, refuseOverlap } from './data-folder.ts';
import { digestOf, documentRecipe, formatRoot, stampDocument, type DocumentSettings } from './documents.ts';
import { formatManifest, manifestFormat, manifestPath } from './memory/manifest.ts';
import { memoryFormat, memoryPath } from './memory/source-memory.ts';
import { readTreeMemory, type TreeMemory } from './memory/tree-memory.ts';
import { nextMemories } from './memory/next-memories.ts';
import { openSources } from './open-sources.ts';
import { createDiskOutput } from './output/disk-output.ts';
import { takeLock } from './output/lock.ts';
import type { Output } from './output/output.ts';
import { gatherOutcome, type PackagesOutcome } from './outcome.ts';
import { isEmptyChange } from './publication.ts';
import { reportOf } from './report-of.ts';
import type { BuildReport, ProgressEvent } from './report.ts';
import { scanSources, type ScannedSource } from './scan.ts';
import { chooseSources, type SourceChoice, type SourceRequest } from './sources/remembered.ts';
import { digestSources, packagesToVisit } from './visits.ts';

export interface BuildRequest extends SourceRequest {
  readonly dataDirectory: string;
  /** any quarantine, and nothing is published */
  readonly strict: boolean;
  readonly allowRepublish: boolean;
  readonly jobs: number;
  readonly metadataUrl: string;
  /** absolute address without a slash at its end; undefined: dist.url is a path */
  readonly distBaseUrl: string | undefined;
}

export interface BuildEffects {
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
  /** of which git sees what it needs to reach a remote */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Throws BuildRefused, BuildBusy or StorageError; whatever is wrong with a source or a version stands in the report instead. */
export async function build(request: BuildRequest, effects: BuildEffects): Promise<BuildReport> {
  const dataDirectory = await openDataFolder(request.dataDirectory);
  const lock = await takeLock(`${dataDirectory}/build/lock`, effects.now);
  try {
    const output = createDiskOutput(dataDirectory);
    await output.discard();
    return await buildLocked({ ...request, dataDirectory }, effects, output);
  } finally {
    await lock.release();
  }
}

async function buildLocked(request: BuildRequest, effects: BuildEffects, output: Output): Promise<BuildReport> {
  const started = performance.now();
  const settings: DocumentSettings = { metadataUrl: request.metadataUrl, distBaseUrl: request.distBaseUrl };
  const settingsDigest = digestOf(JSON.stringify([documentRecipe, memoryFormat, settings]));
  const tree = await readTreeMemory(output, settingsDigest);
  const choice = chooseSources(request, tree.sources, request.dataDirectory);
  for (const { spec } of choice.read) refuseOverlap(request.dataDirectory, spec);

  const opened = await openSources(choice.read, { dataDirectory: request.dataDirectory, output, trusted: tree.trusted, ...effects });
  try {
    const scanned = await scanSources(opened, Math.max(request.jobs, 4), effects.progress);
    const scanEnded = performance.now();
    const run: Run = { request, choice, tree, scanned, settings, output, effects };
    const packages = await stageAll(run);
    const archiveEnded = performance.now();
    const strictlyRefused = request.strict && packages.quarantined.length > 0;
    const serial = strictlyRefused ? undefined : await publish({ ...run, settingsDigest, packages });
    const timings = { scan: scanEnded - started, archive: archiveEnded - scanEnded, publish: performance.now() - archiveEnded, total: performance.now() - started };
    return reportOf({ scanned, packages, strictlyRefused, serial: serial ?? tree.publication?.serial ?? 0, published: serial !== undefined, timings });
  } finally {
    await Promise.all(opened.map(({ source }) => source.close()));
    await output.discard();
  }
}

interface Run {
  readonly request: BuildRequest;
  readonly choice: SourceChoice;
  readonly tree: TreeMemory;
  readonly scanned: readonly ScannedSource[];
  readonly settings: DocumentSettings;
  readonly output: Output;
  readonly effects: BuildEffects;
}

async function stageAll(run: Run): Promise<PackagesOutcome> {
  const { request, choice, tree, scanned, settings, output, effects } = run;
  const digests = digestSources(scanned);
  const visits = await packagesToVisit({ scanned, digests, tree, choice, output });
  if (visits.length === 0) return gatherOutcome([], tree.names, scanned, digests);
  const { stagePackages } = await import('./packages.ts');
  const context = {
    output,
    settings,
    sources: new Map([...choice.read, ...choice.left].map(({ spec }) => [spec.id, spec.location])),
    forgotten: new Set(choice.forgotten.map(({ id }) => id)),
    allowRepublish: request.allowRepublish,
    now: effects.now(),
  };
  const results = await stagePackages({ visits, scanned, jobs: request.jobs, scratchDirectory: `${request.dataDirectory}/build/staging`, progress: effects.progress, context });
  return gatherOutcome(results, tree.names, scanned, digests);
}

/** Resolves to the new serial, or to undefined where readers see nothing new. The memory is written in either case. */
async function publish(run: Run & { readonly settingsDigest: string; readonly packages: PackagesOutcome }): Promise<number | undefined> {
  const { tree, packages, output, effects } = run;
  const now = effects.now();
  const sources = publishedSources(run);
  const rootText = formatRoot(packages.names, run.settings);
  const rootStamp = stampDocument(tree.publication?.root ?? null, rootText, Math.floor(now.getTime() / 1000));
  if (rootStamp === null) throw new Error('packages.json always has a stamp');
  const rootMoved = !tree.rootIntact || rootStamp !== tree.publication?.root;
  const sourcesMoved = JSON.stringify(sources) !== JSON.stringify(tree.sources);
  const interrupted = tree.serial !== (tree.publication?.serial ?? 0);
  const moved = rootMoved || sourcesMoved || interrupted || !isEmptyChange(packages.changes);
  const serial = moved ? tree.serial + 1 : (tree.publication?.serial ?? 0);
  if (moved) {
    await announceIntent(run, serial);
    const root = rootMoved ? { file: await output.stage(rootText), path: rootDocumentPath, lastModified: rootStamp.last_modified } : undefined;
    const head = formatPublication({ format: publicationFormat, serial, published_at: now.toISOString(), root: { last_modified: rootStamp.last_modified, sha256: digestOf(rootText) }, sources });
    await applyPublication({ ...packages.changes, root, head: { file: await output.stage(head), path: publicationPath } }, output, (label) => effects.progress({ phase: 'publish', done: 0, total: 0, label }));
  }
  await remember(run, serial);
  return moved ? serial : undefined;
}

/**
 * The manifest takes the new serial before anything else moves. Were this build to die now, the next one finds a manifest that is ahead of the
 * publication, believes nothing it remembers, and compares every package: that is how a half-done publication is always completed (I5).
 */
async function announceIntent({ output, settingsDigest }: { readonly output: Output; readonly settingsDigest: string }, serial: number): Promise<void> {
  const file = await output.stage(formatManifest({ format: manifestFormat, serial, settings: settingsDigest }));
  await output.settle([file]);
  await output.publish(file, 'build', manifestPath);
  await output.barrier();
}

function publishedSources(run: Run): readonly PublishedSource[] {
  const neverRead = new Set(run.scanned.filter(({ outcome, chosen }) => outcome === 'failed' && !run.tree.sources.some(({ id }) => id === chosen.spec.id)).map(({ chosen }) => chosen.spec.id));
  return [...run.choice.read, ...run.choice.left]
    .filter(({ spec }) => !neverRead.has(spec.id))
    .map(({ spec, from }): PublishedSource => ({ id: spec.id, location: spec.location, from }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

async function remember(run: Run & { readonly settingsDigest: string; readonly packages: PackagesOutcome }, serial: number): Promise<void> {
  const { output, tree, scanned, packages, choice } = run;
  const memories = nextMemories(scanned, packages);
  const manifest = formatManifest({ format: manifestFormat, serial, settings: run.settingsDigest });
  const manifestMoved = manifest !== (await output.read('build', manifestPath));
  const staged = await Promise.all([...memories].map(async ([id, text]) => ({ file: await output.stage(text), path: memoryPath(id) })));
  const all = manifestMoved ? [...staged, { file: await output.stage(manifest), path: manifestPath }] : staged;
  await output.settle(all.map(({ file }) => file));
  for (const { file, path } of all) await output.publish(file, 'build', path);
  for (const { id } of choice.forgotten) await output.remove('build', memoryPath(id));
  if (all.length > 0 || choice.forgotten.length > 0) await output.barrier();
  if (tree.serial > serial) throw new Error('a serial went back (I6)');
}
