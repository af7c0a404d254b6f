// One version of a package in this build: kept with the record it has, or made, which archives what was never archived
// before.

import type { ArchiveOptions, Archived, Archiver } from '../archive/archiver.ts';
import { checkArchive, type ExpectedArchive } from '../archive/check-archive.ts';
import { branchOfLabel } from '../documents/branch-order.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { distPath, pinnedDistPath, providerPath, type PublicPath } from '../contract/paths.ts';
import type { AdvisoryLists } from '../contract/safety-lists.ts';
import type { Publication } from '../contract/publication.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { PublicationMoment } from '../documents/document-changes.ts';
import type { DocumentSettings } from '../documents/document-settings.ts';
import { distOf } from '../documents/documents.ts';
import type { PendingHistory } from './pending-publications.ts';
import type { Output } from '../output/output.ts';
import type { PackageState } from './package-state.ts';
import type { Purged } from './purged.ts';
import { PurgedBytes } from '../version-lists/purged-bytes.ts';
import type { TextsOfVersion, TextStager } from './package-texts.ts';
import type { FreshRelease, PackageDecision } from './plan.ts';
import type { Alias, Placement } from '../output/publication.ts';
import { firstPublished } from '../documents/published-time.ts';
import { checkRecord } from '../record/check-record.ts';
import { versionRecord } from '../record/version-record.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { Release } from '../sources/release.ts';
import type { UndoneByName } from './rollback-holds.ts';
import type { Withheld } from '../version-lists/withheld.ts';

export interface PackageContext {
  readonly output: Output;
  readonly archiver: Archiver;
  readonly settings: DocumentSettings;
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /**
   * ids of the sources whose records are made again from what they hold now: settings may have changed what they say
   */
  readonly renewed: ReadonlySet<string>;
  /** ids of the sources that are withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: boolean;
  readonly withheld: Withheld;
  readonly purged: Purged;
  /** what documents say beside the versions */
  readonly safety: AdvisoryLists;
  /** what rollbacks undid */
  readonly undone: UndoneByName;
  /** what publications that were cut off have replaced */
  readonly pending: PendingHistory;
  /** archives that a cut-off publication may have left in place */
  readonly leftovers: ReadonlySet<PublicPath>;
  readonly moment: PublicationMoment;
  readonly pruned: Publication['pruned'];
  readonly now: Date;
}

/** What is at hand while the versions of one package are made. */
export interface VersionContext extends PackageContext {
  readonly texts: TextStager;
}

/** One published version: its entry and its record. */
export interface Standing {
  readonly entry: IndexEntry;
  readonly record: VersionRecord;
}

export interface Made extends Standing {
  readonly archive: Placement | undefined;
  readonly pin: Alias | undefined;
  /** what people should know of it, each a sentence */
  readonly remarks: readonly string[];
}

/**
 * The record of a version that stays. It is made anew where the published one cannot be used, says something else of
 * the branch, or was made under other settings; never without the release it is of, and never with other bytes.
 */
export async function keepVersion(
  name: PackageName,
  kept: PackageDecision['kept'][number],
  state: PackageState,
  context: VersionContext,
): Promise<Standing> {
  const { release } = kept;
  const entry = await renewedEntry(kept, state, context);
  const found = state.records.get(entry.version_normalized);
  const usable = found?.version === entry.version && found.dist?.reference === entry.reference ? found : undefined;
  if (usable !== undefined && (release === undefined || isCurrent(usable, release, kept.entry, state, context)))
    return { entry, record: { ...usable, dist: distOf(name, entry, context.settings) } };
  if (release === undefined) {
    throw new BuildRefused(
      `public/${providerPath(name, 'stable')} (or its ~dev twin) is damaged: it does not hold version ${entry.version}, which the serving index says is published. Build its source ${context.sources.get(entry.source) ?? entry.source} too, so that it can be made again.`,
    );
  }
  return { entry, record: await recordOf(name, release, entry, context) };
}

/**
 * What its source tells of it now. Its texts are read again with its record, and where one of them is lost: a build
 * without its release leaves all as it is.
 */
async function renewedEntry(
  { entry: found, release }: PackageDecision['kept'][number],
  state: PackageState,
  { texts, renewed }: VersionContext,
): Promise<IndexEntry> {
  if (release === undefined) return found;
  const { branch: _branch, ...unnamed } = found;
  const entry = { ...unnamed, ...toldBy(release) };
  const lost = [entry.readme, entry.changelog].some((digest) => digest !== undefined && !state.texts.has(digest));
  if (release.content.texts === undefined || !(lost || renewed.has(entry.source) || state.indexText === undefined))
    return entry;
  const { readme: _readme, changelog: _changelog, ...bare } = entry;
  return { ...bare, ...(await texts.stage(await release.content.texts())) };
}

/** An entry that is not the index's own has changed hands: its record is another source's. */
function isCurrent(
  record: VersionRecord,
  release: Release,
  entry: IndexEntry,
  state: PackageState,
  context: PackageContext,
): boolean {
  // whether an inline record has changed is not remembered; making it again costs nothing
  return (
    release.recordDigest === undefined &&
    (record['default-branch'] === true) === release.defaultBranch &&
    !context.renewed.has(entry.source) &&
    (state.entries.get(entry.version)?.includes(entry) ?? false)
  );
}

async function recordOf(
  name: PackageName,
  release: Release,
  entry: IndexEntry,
  context: PackageContext,
): Promise<VersionRecord> {
  const { version, normalized, reference, time, defaultBranch, sourceUrl } = release;
  const { settings } = context;
  const record = versionRecord({
    composerJson: await release.composerJson(),
    name,
    version,
    normalized,
    reference,
    time,
    defaultBranch,
    dist: distOf(name, entry, settings),
    sourceUrl,
    abandoned: settings.abandoned?.[name],
  });
  checkRecord(name, record);
  return record;
}

/** Throws QuarantineError, GitFailure or PurgedBytes: then this version is left out. */
export async function makeVersion(
  name: PackageName,
  fresh: FreshRelease,
  state: PackageState,
  context: VersionContext,
): Promise<Made> {
  const { release, source } = fresh;
  const path = archivePath(name, release, state);
  const base = {
    version: release.version,
    version_normalized: release.normalized,
    reference: release.reference,
    path,
    state: 'published',
    since: context.now.toISOString(),
    source,
    ...toldBy(release),
    ...firstPublished(release.publishedTime, context.now),
  } as const;
  const reuse =
    fresh.reuse !== undefined && (await context.output.facts('public', fresh.reuse.path))?.size === fresh.reuse.size
      ? fresh.reuse
      : undefined;
  if (reuse !== undefined) {
    const entry: IndexEntry = { ...base, shasum: reuse.shasum, size: reuse.size, ...(await textsOf(release, context)) };
    return {
      entry,
      record: await recordOf(name, release, entry, context),
      archive: undefined,
      pin: reuse.path === path ? undefined : { from: reuse.path, to: path },
      remarks: [],
    };
  }
  const repeated = new Set<string>();
  const composerJson = await release.composerJson((key) => repeated.add(key));
  const target = context.output.stagingPath();
  const { shasum, size, withheld } = await archiveRelease(
    release,
    { target, topFolder: topFolderOf(name, release), composerJson },
    context.archiver,
  );
  if (fresh.shasum !== undefined && shasum !== fresh.shasum) throw otherThanPruned(release, shasum, fresh.shasum);
  const tombstone = context.purged.blocksArchive(target, shasum);
  if (tombstone !== undefined) throw new PurgedBytes(tombstone);
  const entry: IndexEntry = { ...base, shasum, size, ...(await textsOf(release, context)) };
  return {
    entry,
    record: await recordOf(name, release, entry, context),
    archive: { file: { path: target }, path },
    pin: undefined,
    remarks: remarksOn(name, { written: composerJson['name'], withheld, repeated }),
  };
}

/** What the source says of a version beside its content. */
function toldBy({ version, time, branch }: Release): Pick<IndexEntry, 'time' | 'branch'> {
  return { time: time ?? null, ...(branch === undefined || branch === branchOfLabel(version) ? {} : { branch }) };
}

function otherThanPruned({ version }: Release, shasum: string, pruned: string): QuarantineError {
  return new QuarantineError(
    'VERSION_CHANGED',
    `its archive has other bytes (SHA-1 ${shasum.slice(0, 12)}) than version ${version} had before it was pruned (${pruned.slice(0, 12)}). Released versions never change: publish a new version, or use --allow-republish if nobody can have installed the old one.`,
  );
}

async function textsOf({ content }: Release, { texts }: VersionContext): Promise<TextsOfVersion> {
  return content.texts === undefined ? {} : texts.stage(await content.texts());
}

interface Remarkable {
  /** the name in its composer.json */
  readonly written: unknown;
  readonly withheld: readonly string[];
  /** keys of its composer.json that occur twice in one object */
  readonly repeated: ReadonlySet<string>;
}

function remarksOn(name: PackageName, { written, withheld, repeated }: Remarkable): readonly string[] {
  const inOtherCase = typeof written === 'string' && written !== name && written.toLowerCase() === name;
  return [
    ...(inOtherCase
      ? [
          `composer.json writes the name as ${written}; Composer asks for names in lower case, so it is published as ${name}. Write it so.`,
        ]
      : []),
    ...[...repeated].map(
      (key) =>
        `composer.json has the key ${JSON.stringify(key.slice(0, 100))} twice in one object. The last value counts, as in Composer; keep only one.`,
    ),
    ...(withheld.length === 0 ? [] : [`left out, since they look like credentials: ${withheld.join(', ')}`]),
  ];
}

/**
 * What a source has as an archive was admitted byte for byte; what is made here is opened again before anybody else
 * can.
 */
async function archiveRelease(
  { content }: Release,
  options: ArchiveOptions & Pick<ExpectedArchive, 'composerJson'>,
  archiver: Archiver,
): Promise<Archived> {
  if ('copyTo' in content) return { ...(await content.copyTo(options.target)), withheld: [], hasComposerJson: true };
  const archived = await archiver.archive(content, options);
  checkArchive(options.target, {
    ...options,
    mayNameAnother: content.mayNameAnother === true,
    hasComposerJson: archived.hasComposerJson,
  });
  return archived;
}

function topFolderOf(name: PackageName, { reference }: Release): string {
  return `${name.replace('/', '-')}-${reference.slice(0, 7)}`;
}

/** A label that ever stood for other content gets a file of its own for each content; all others the plain one. */
function archivePath(name: PackageName, release: Release, state: PackageState): PublicPath {
  const shared = state.entries.get(release.version)?.some((entry) => entry.reference !== release.reference) ?? false;
  return release.dev || shared
    ? pinnedDistPath(name, release.version, release.reference)
    : distPath(name, release.version);
}
