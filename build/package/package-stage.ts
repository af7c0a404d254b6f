// Stages a package from its versions: the serving index, the documents, and the names of the archives.

import type { PackageName } from '../contract/name.ts';
import { distPath, indexPath, type DistLabel, type PublicPath } from '../contract/paths.ts';
import { advisoriesOf } from '../contract/advisory-lists.ts';
import { formatPackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { stageDocuments } from './stage-documents.ts';
import { advisoryNotices } from '../advisories/affected.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import { packageChange, type PackageHistory } from './package-change.ts';
import { entriesUntilRecorded, mergeEntries, entryKey } from './index-entries.ts';
import { hasArchive, type RestoredArchives } from './lost-archives.ts';
import { listShortly } from '../shared/text/list-shortly.ts';
import type { Output } from '../output/output.ts';
import type { PackageState } from './package-state.ts';
import type { BuiltVersion } from './make-version.ts';
import type { PublishedRecord, VersionContext } from './package-context.ts';
import type { Contribution, PackageDecision } from './package-decision.ts';
import { archivesToRemove, indexUntilDropped } from './drop-purged.ts';
import type { BlockedRelease } from './exclude-purged.ts';
import type { Alias, PackageChanges, Placement } from '../output/publication.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { HoldSteps } from './rollback-holds.ts';

/** The result of a package, stored until all packages are staged: unchanged versions are only counted. */
export interface PackageResult {
  readonly name: PackageName;
  /** the number of published versions after this build */
  readonly published: number;
  /** archives of an interrupted publication that belong to the package after this build */
  readonly leftovers: readonly PublicPath[];
  readonly added: readonly VersionOf[];
  readonly changed: readonly VersionOf[];
  readonly withdrawn: readonly VersionOf[];
  /** published versions that their source may no longer have (package-decision.ts) */
  readonly ambiguous: readonly VersionOf[];
  /** versions that left p2 in this build: their archives stay */
  readonly retained: readonly VersionOf[];
  /**
   * ids of the sources for which the next build examines the package again: a version was refused, or stays published
   * although the source no longer has it
   */
  readonly sourcesToRecheck: ReadonlySet<string>;
  readonly refused: readonly { readonly source: string; readonly quarantine: Quarantine }[];
  readonly notices: readonly { readonly source: string; readonly message: string }[];
  readonly changes: PackageChanges;
  /** undefined: the package is unchanged for readers */
  readonly history: PackageHistory | undefined;
  /** the next state of the changes that a rollback undid */
  readonly undone: HoldSteps;
  /** releases that are purged, and that sources have all the same */
  readonly blocked: readonly BlockedRelease[];
}

/** The part of an entry for reports to people. */
export type VersionOf = Pick<IndexEntry, 'version' | 'source' | 'reference'>;

export interface PackageOutcome {
  readonly contributions: readonly Contribution[];
  /** the previous publication, purged contents included: the base of the computed changes */
  readonly former: PackageState;
  readonly state: PackageState;
  readonly decision: PackageDecision;
  readonly publishedRecords: readonly PublishedRecord[];
  readonly made: readonly BuiltVersion[];
  readonly refused: PackageResult['refused'];
  readonly undone: PackageResult['undone'];
  /** ids of sources the package stays an open question for, since a version was rolled back */
  readonly unresolved?: readonly string[];
  /** purged contents that the serving index still has; `state` is without them */
  readonly dropped?: readonly IndexEntry[];
  readonly blocked?: readonly BlockedRelease[];
  /** archives that were lost */
  readonly restored?: Omit<RestoredArchives, 'decision'>;
}

/** The parts of a build that staging needs. */
export type StageContext = Pick<
  VersionContext,
  'output' | 'texts' | 'leftovers' | 'pending' | 'advisories' | 'moment' | 'now'
>;

export async function stagePackage(
  name: PackageName,
  outcome: PackageOutcome,
  context: StageContext,
): Promise<PackageResult> {
  const { former, state, publishedRecords, made, dropped = [], restored } = outcome;
  const { output, leftovers } = context;
  const { entries, pins } = nextEntries(name, outcome, context.now);
  const published = entries.filter((entry) => entry.state === 'published');
  const documents = await stageDocuments(name, former, asIndexed([...publishedRecords, ...made], entries), context);
  const { stamps, replaced } = documents;
  const indexes = await stageIndexes(name, outcome, { ...state.index, documents: stamps, versions: entries }, context);
  const texts = context.texts.changes(entries);
  const advisories = advisoriesOf(context.advisories, name);
  return {
    name,
    published: published.length,
    leftovers: leftovers.size === 0 ? [] : archivesOf(name, entries).filter((path) => leftovers.has(path)),
    ...versionChanges(outcome, entries),
    sourcesToRecheck: findSourcesToRecheck(published, outcome),
    refused: outcome.refused,
    notices: [...versionNotices(name, outcome), ...advisoryNotices(name, advisories, published)],
    changes: {
      archives: made.flatMap(({ archive }) => archive ?? []),
      pins: [...pins, ...(restored?.pins ?? []), ...made.flatMap(({ pin }) => pin ?? [])],
      texts: texts.placements,
      prunedLists: [],
      indexes: indexes.next,
      documents: documents.placements,
      plain: await plainAliases(name, published, new Set(made.map(({ entry }) => entry.path)), output),
      removals: documents.removals,
      unusedTexts: texts.removals,
      lastIndexes: indexes.last,
      purgedArchives: archivesToRemove(name, dropped, entries),
    },
    history: await packageChange({ name, state, entries, stamps, replaced, output, pending: context.pending }),
    undone: outcome.undone,
    blocked: outcome.blocked ?? [],
  };
}

function nextEntries(name: PackageName, { state, publishedRecords, made }: PackageOutcome, now: Date) {
  const entriesOf = (all: readonly PublishedRecord[]): readonly IndexEntry[] => all.map(({ entry }) => entry);
  const next = { kept: entriesOf(publishedRecords), made: entriesOf(made), records: state.records, now };
  return mergeEntries(name, state.index.versions, next);
}

/** The changes in the versions that readers have. */
function versionChanges(
  { state, decision, made, dropped = [] }: PackageOutcome,
  entries: readonly IndexEntry[],
): Pick<PackageResult, 'added' | 'changed' | 'withdrawn' | 'ambiguous' | 'retained'> {
  const fresh = new Set(made.map(({ entry }) => entryKey(entry)));
  const news = entries.filter((entry) => entry.state === 'published' && fresh.has(entryKey(entry)));
  const replaced = new Set(
    decision.fresh.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces.version_normalized])),
  );
  const before = new Set(state.index.versions.filter((entry) => entry.state === 'published').map(entryKey));
  return {
    added: news.filter((entry) => !replaced.has(entry.version_normalized)).map(versionOf),
    changed: news.filter((entry) => replaced.has(entry.version_normalized)).map(versionOf),
    withdrawn: [...decision.withdrawn, ...dropped.filter((entry) => entry.state === 'published')].map(versionOf),
    ambiguous: decision.ambiguous.map(versionOf),
    retained: entries.filter((entry) => entry.state !== 'published' && before.has(entryKey(entry))).map(versionOf),
  };
}

/**
 * The serving index. While documents change, it also has purged contents and the facts of returned versions; then
 * `last` replaces it.
 */
async function stageIndexes(
  name: PackageName,
  { state, dropped = [] }: PackageOutcome,
  next: PackageIndex,
  { output, now }: StageContext,
): Promise<{ readonly next: readonly Placement[]; readonly last: readonly Placement[] }> {
  const stage = async (text: string): Promise<Placement> => ({ file: await output.stage(text), path: indexPath(name) });
  const text = formatPackageIndex(next);
  const written = text !== state.indexText && (next.versions.length > 0 || dropped.length > 0);
  const versions = entriesUntilRecorded(next.versions, state.index.versions);
  const isFinal = dropped.length === 0 && versions === next.versions;
  const first = isFinal ? text : formatPackageIndex(indexUntilDropped({ ...next, versions }, dropped, now));
  return {
    next: written ? [await stage(first)] : [],
    last: isFinal ? [] : [await stage(text)],
  };
}

/** The remarks of sources, and the archives that stay lost. */
function versionNotices(name: PackageName, { made, restored }: PackageOutcome): PackageResult['notices'] {
  return [...remarkNotices(name, made), ...(restored?.notices ?? [])];
}

/** One notice for each remark of a source, for any number of versions. */
function remarkNotices(name: PackageName, made: readonly BuiltVersion[]): PackageResult['notices'] {
  const remarked = made.flatMap(({ entry, remarks }) => remarks.map((remark) => ({ entry, remark })));
  return [...groupBy(remarked, ({ entry, remark }) => `${entry.source}\0${remark}`).values()].flatMap((alike) => {
    const [first] = alike;
    const versions = alike.map(({ entry }) => entry.version);
    return first === undefined
      ? []
      : [{ source: first.entry.source, message: `${name} ${listShortly(versions)}: ${first.remark}` }];
  });
}

/** The plain copies of mutable versions too. */
function archivesOf(name: PackageName, entries: readonly IndexEntry[]): readonly PublicPath[] {
  return [...entries.map(({ path }) => path), ...entries.map(({ version }) => distPath(name, version as DistLabel))];
}

function versionOf({ version, source, reference }: IndexEntry): VersionOf {
  return { version, source, reference };
}

function findSourcesToRecheck(
  published: readonly IndexEntry[],
  { contributions, refused, unresolved = [] }: PackageOutcome,
): ReadonlySet<string> {
  const sourcesToRecheck = new Set([...refused.map(({ source }) => source), ...unresolved]);
  for (const { source, releases } of contributions) {
    const there = new Set<string>(releases.map(({ normalized }) => normalized));
    if (published.some((entry) => entry.source === source && !there.has(entry.version_normalized)))
      sourcesToRecheck.add(source);
  }
  return sourcesToRecheck;
}

/** Adds the entries of the next index: they know when a content was first published. */
function asIndexed(versions: readonly PublishedRecord[], entries: readonly IndexEntry[]): readonly PublishedRecord[] {
  const indexed = new Map(entries.map((entry) => [entryKey(entry), entry]));
  return versions.map(({ record, entry }) => ({ record, entry: indexed.get(entryKey(entry)) ?? entry }));
}

/**
 * The plain `<version>.zip` of every version whose bytes have a pinned name. Skips a copy that already has the content,
 * and a lost pinned archive.
 */
async function plainAliases(
  name: PackageName,
  published: readonly IndexEntry[],
  fresh: ReadonlySet<PublicPath>,
  output: Output,
): Promise<readonly Alias[]> {
  const aliases: Alias[] = [];
  for (const entry of published) {
    const plain = distPath(name, entry.version as DistLabel);
    if (entry.path === plain) continue;
    if (fresh.has(entry.path) || ((await hasArchive(output, entry)) && !(await isSameFile(output, entry, plain))))
      aliases.push({ from: entry.path, to: plain });
  }
  return aliases;
}

async function isSameFile(output: Output, entry: IndexEntry, plain: PublicPath): Promise<boolean> {
  const [pinnedFacts, plainFacts] = await Promise.all([
    output.facts('public', entry.path),
    output.facts('public', plain),
  ]);
  if (pinnedFacts === undefined || plainFacts === undefined || plainFacts.size !== entry.size) return false;
  return pinnedFacts.inode === plainFacts.inode || (await output.sha1('public', plain)) === entry.shasum;
}
