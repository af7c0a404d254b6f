// One package of one build: what is published, what its sources hold, the decision, and everything it leads to, staged. Nothing a reader sees
// changes here.

import pLimit from 'p-limit';
import type { Archiver } from './archive/archiver.ts';
import type { VersionRecord } from './contract/documents.ts';
import type { PackageName } from './contract/name.ts';
import { distPath, indexPath, pinnedDistPath, providerPath, type DistLabel, type PublicPath } from './contract/paths.ts';
import { formatPackageIndex, type DocumentStamp, type IndexEntry } from './contract/serving-index.ts';
import { distUrl, formatProviders, stampDocument, type DocumentSettings } from './documents.ts';
import { mergeEntries } from './index-entries.ts';
import type { Output } from './output/output.ts';
import { readPackageState, type PackageState } from './package-state.ts';
import { decidePackage, type Contribution, type FreshRelease, type PackageDecision } from './plan.ts';
import type { Alias, PackageChanges, Placement } from './publication.ts';
import { versionRecord } from './record/version-record.ts';
import { BuildRefused } from './refusals.ts';
import { GitFailure } from './sources/git/git-failure.ts';
import { QuarantineError, type Quarantine } from './sources/quarantine.ts';
import type { Release } from './sources/release.ts';

/** So that one archive's files are read while another's are compressed. */
const parallelArchives = 4;

export interface PackageContext {
  readonly output: Output;
  readonly archiver: Archiver;
  readonly settings: DocumentSettings;
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /** ids of the sources that are withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: boolean;
  readonly now: Date;
}

export interface PackageResult {
  readonly name: PackageName;
  /** published entries after this build */
  readonly published: readonly IndexEntry[];
  readonly added: readonly IndexEntry[];
  readonly changed: readonly IndexEntry[];
  readonly withdrawn: readonly IndexEntry[];
  /** entries that left p2 in this build: their archives stay */
  readonly retained: readonly IndexEntry[];
  readonly refused: readonly { readonly source: string; readonly quarantine: Quarantine }[];
  readonly notices: readonly { readonly source: string; readonly message: string }[];
  readonly changes: PackageChanges;
}

/** One published version: its entry and its record. */
interface Standing {
  readonly entry: IndexEntry;
  readonly record: VersionRecord;
}

interface Made extends Standing {
  readonly archive: Placement | undefined;
  readonly pin: Alias | undefined;
  readonly withheld: readonly string[];
}

export async function buildPackage(name: PackageName, contributions: readonly Contribution[], context: PackageContext): Promise<PackageResult> {
  const state = await readPackageState(context.output, name, context.now);
  const decision = decidePackage({ name, entries: state.index.versions, contributions, sources: context.sources, forgotten: context.forgotten, allowRepublish: context.allowRepublish });
  const refused = [...decision.refused];
  const standing: Standing[] = [];
  for (const kept of decision.kept) standing.push(await keep(name, kept, state, context, refused));
  const limit = pLimit(parallelArchives);
  const results = await Promise.all(decision.fresh.map((fresh) => limit(() => makeOrRefuse(name, fresh, state, context, refused))));
  for (const [at, { replaces }] of decision.fresh.entries()) {
    if (results[at] === undefined && replaces !== undefined) standing.push(await keep(name, { entry: replaces, release: undefined }, state, context, refused));
  }
  const made = results.filter((result) => result !== undefined);
  return stagePackage(name, { state, decision, standing, made, refused }, context);
}

async function makeOrRefuse(name: PackageName, fresh: FreshRelease, state: PackageState, context: PackageContext, refused: { source: string; quarantine: Quarantine }[]): Promise<Made | undefined> {
  try {
    return await make(name, fresh, state, context);
  } catch (error) {
    const reason = error instanceof GitFailure ? new QuarantineError('BROKEN_OBJECT', error.message, { cause: error }) : error;
    if (!(reason instanceof QuarantineError)) throw error;
    refused.push({ source: fresh.source, quarantine: quarantineOf(reason, fresh.release) });
    return undefined;
  }
}

/** The record of a version that stays. It is made anew only where the published one cannot be used or says something else of the branch. */
async function keep(name: PackageName, kept: PackageDecision['kept'][number], state: PackageState, context: PackageContext, refused: { source: string; quarantine: Quarantine }[]): Promise<Standing> {
  const { entry, release } = kept;
  const found = state.records.get(entry.version_normalized);
  const usable = found?.version === entry.version && found.dist?.reference === entry.reference ? found : undefined;
  if (usable !== undefined && (release === undefined || (usable['default-branch'] === true) === release.defaultBranch)) return { entry, record: withDistUrl(name, usable, context) };
  if (release === undefined) {
    throw new BuildRefused(`public/${providerPath(name, 'stable')} (or its ~dev twin) is damaged: it does not hold version ${entry.version}, which the serving index says is published. Build its source ${context.sources.get(entry.source) ?? entry.source} too, so that it can be made again.`);
  }
  try {
    return { entry, record: await recordOf(name, release, entry, context) };
  } catch (error) {
    if (!(error instanceof QuarantineError) || usable === undefined) throw error;
    refused.push({ source: entry.source, quarantine: quarantineOf(error, release) });
    return { entry, record: withDistUrl(name, usable, context) };
  }
}

function withDistUrl(name: PackageName, record: VersionRecord, context: PackageContext): VersionRecord {
  const url = distUrl(name, record.version, context.settings);
  return record.dist === undefined || record.dist.url === url ? record : { ...record, dist: { ...record.dist, url } };
}

async function recordOf(name: PackageName, release: Release, entry: IndexEntry, context: PackageContext): Promise<VersionRecord> {
  const { version, normalized, reference, time, defaultBranch } = release;
  return versionRecord({ composerJson: await release.composerJson(), name, version, normalized, reference, time, defaultBranch, dist: { url: distUrl(name, version, context.settings), shasum: entry.shasum } });
}

async function make(name: PackageName, fresh: FreshRelease, state: PackageState, context: PackageContext): Promise<Made> {
  const { release, source } = fresh;
  const path = archivePath(name, release, state);
  const base = { version: release.version, version_normalized: release.normalized, reference: release.reference, time: release.time ?? null, path, state: 'published', since: context.now.toISOString(), source } as const;
  const reuse = fresh.reuse !== undefined && (await context.output.facts('public', fresh.reuse.path))?.size === fresh.reuse.size ? fresh.reuse : undefined;
  if (reuse !== undefined) {
    const entry: IndexEntry = { ...base, shasum: reuse.shasum, size: reuse.size };
    return { entry, record: await recordOf(name, release, entry, context), archive: undefined, pin: reuse.path === path ? undefined : { from: reuse.path, to: path }, withheld: [] };
  }
  await release.composerJson();
  const target = context.output.stagingPath();
  const { shasum, size, withheld } = await context.archiver.archive(release.content, { topFolder: `${name.replace('/', '-')}-${release.reference.slice(0, 7)}`, target });
  const entry: IndexEntry = { ...base, shasum, size };
  return { entry, record: await recordOf(name, release, entry, context), archive: { file: { path: target }, path }, pin: undefined, withheld };
}

/** A label that ever stood for other content gets a file of its own for each content; all others the plain one. */
function archivePath(name: PackageName, release: Release, state: PackageState): PublicPath {
  const shared = state.index.versions.some((entry) => entry.version === release.version && entry.reference !== release.reference);
  return release.dev || shared ? pinnedDistPath(name, release.version, release.reference) : distPath(name, release.version);
}

interface Outcome {
  readonly state: PackageState;
  readonly decision: PackageDecision;
  readonly standing: readonly Standing[];
  readonly made: readonly Made[];
  readonly refused: PackageResult['refused'];
}

async function stagePackage(name: PackageName, outcome: Outcome, context: PackageContext): Promise<PackageResult> {
  const { state, decision, standing, made } = outcome;
  const { entries, pins } = mergeEntries(name, state.index.versions, { kept: standing.map(({ entry }) => entry), made: made.map(({ entry }) => entry), now: context.now });
  const published = entries.filter((entry) => entry.state === 'published');
  const documents = await stageDocuments(name, state, [...standing, ...made], context);
  const index = formatPackageIndex({ ...state.index, documents: documents.stamps, versions: entries });
  const indexes = index === state.indexText || entries.length === 0 ? [] : [{ file: await context.output.stage(index), path: indexPath(name) }];
  const replaced = new Set(decision.fresh.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces.version_normalized])));
  const before = new Set(state.index.versions.filter((entry) => entry.state === 'published').map(keyOf));
  return {
    name,
    published,
    added: made.flatMap(({ entry }) => (replaced.has(entry.version_normalized) ? [] : [entry])),
    changed: made.flatMap(({ entry }) => (replaced.has(entry.version_normalized) ? [entry] : [])),
    withdrawn: decision.withdrawn,
    retained: entries.filter((entry) => entry.state !== 'published' && before.has(keyOf(entry))),
    refused: outcome.refused,
    notices: made.flatMap(({ entry, withheld }) => (withheld.length === 0 ? [] : [{ source: entry.source, message: `${name} ${entry.version}: left out, since they look like credentials: ${withheld.join(', ')}` }])),
    changes: {
      archives: made.flatMap(({ archive }) => (archive === undefined ? [] : [archive])),
      pins: [...pins, ...made.flatMap(({ pin }) => (pin === undefined ? [] : [pin]))],
      indexes,
      documents: documents.placements,
      plain: await plainAliases(name, published, new Set(made.map(({ entry }) => entry.path)), context.output),
      removals: documents.removals,
    },
  };
}

function keyOf(entry: IndexEntry): string {
  return `${entry.version}\0${entry.reference}`;
}

async function stageDocuments(name: PackageName, state: PackageState, standing: readonly Standing[], context: PackageContext): Promise<{ stamps: { stable: DocumentStamp | null; dev: DocumentStamp | null }; placements: readonly Placement[]; removals: readonly PublicPath[] }> {
  const bytes = standing.length === 0 ? { stable: undefined, dev: undefined } : formatProviders(name, standing.map(({ record }) => record));
  const nowSeconds = Math.floor(context.now.getTime() / 1000);
  const placements: Placement[] = [];
  const removals: PublicPath[] = [];
  const stamp = async (kind: 'stable' | 'dev'): Promise<DocumentStamp | null> => {
    const previous = state.index.documents[kind];
    const next = stampDocument(previous, bytes[kind], nowSeconds);
    const text = bytes[kind];
    if (next === previous && !state.doubtful.has(kind)) return next;
    if (text === undefined) removals.push(providerPath(name, kind));
    else if (next !== null) placements.push({ file: await context.output.stage(text), path: providerPath(name, kind), lastModified: next.last_modified });
    return next;
  };
  const stable = await stamp('stable');
  const dev = await stamp('dev');
  return { stamps: { stable, dev }, placements, removals };
}

/** The plain `<version>.zip` of every version whose bytes stand under a pinned name, where it is not that content already. */
async function plainAliases(name: PackageName, published: readonly IndexEntry[], fresh: ReadonlySet<PublicPath>, output: Output): Promise<readonly Alias[]> {
  const aliases: Alias[] = [];
  for (const entry of published) {
    const plain = distPath(name, entry.version as DistLabel);
    if (entry.path === plain) continue;
    if (fresh.has(entry.path) || !(await isSameFile(output, entry, plain))) aliases.push({ from: entry.path, to: plain });
  }
  return aliases;
}

async function isSameFile(output: Output, entry: IndexEntry, plain: PublicPath): Promise<boolean> {
  const [pinnedFacts, plainFacts] = await Promise.all([output.facts('public', entry.path), output.facts('public', plain)]);
  if (pinnedFacts === undefined || plainFacts === undefined || plainFacts.size !== entry.size) return false;
  return pinnedFacts.inode === plainFacts.inode || (await output.sha1('public', plain)) === entry.shasum;
}

function quarantineOf(error: QuarantineError, release: Release): Quarantine {
  return { code: error.code, message: error.message, where: release.where, name: release.name, version: release.version };
}
