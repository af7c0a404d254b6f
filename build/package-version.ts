// One version of a package in this build: kept with the record it has, or made, which archives what was never archived before.

import type { Archived, Archiver } from './archive/archiver.ts';
import type { VersionRecord } from './contract/documents.ts';
import type { PackageName } from './contract/name.ts';
import { distPath, pinnedDistPath, providerPath, type PublicPath } from './contract/paths.ts';
import type { IndexEntry } from './contract/serving-index.ts';
import type { DocumentSettings } from './document-settings.ts';
import { distOf } from './documents.ts';
import type { Output } from './output/output.ts';
import type { PackageState } from './package-state.ts';
import type { FreshRelease, PackageDecision } from './plan.ts';
import type { Alias, Placement } from './publication.ts';
import { versionRecord } from './record/version-record.ts';
import { BuildRefused } from './refusals.ts';
import type { Release } from './sources/release.ts';

export interface PackageContext {
  readonly output: Output;
  readonly archiver: Archiver;
  readonly settings: DocumentSettings;
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /** ids of the sources whose records are made again from what they hold now: settings may have changed what they say */
  readonly renewed: ReadonlySet<string>;
  /** ids of the sources that are withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: boolean;
  /** archives that a cut-off publication may have left in place */
  readonly leftovers: ReadonlySet<PublicPath>;
  readonly now: Date;
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
 * The record of a version that stays. It is made anew where the published one cannot be used, says something else of the branch, or was made
 * under other settings; never without the release it is of, and never with other bytes.
 */
export async function keepVersion(name: PackageName, kept: PackageDecision['kept'][number], state: PackageState, context: PackageContext): Promise<Standing> {
  const { entry, release } = kept;
  const found = state.records.get(entry.version_normalized);
  const usable = found?.version === entry.version && found.dist?.reference === entry.reference ? found : undefined;
  if (usable !== undefined && (release === undefined || isCurrent(usable, release, entry, state, context))) return { entry, record: { ...usable, dist: distOf(name, entry, context.settings) } };
  if (release === undefined) {
    throw new BuildRefused(`public/${providerPath(name, 'stable')} (or its ~dev twin) is damaged: it does not hold version ${entry.version}, which the serving index says is published. Build its source ${context.sources.get(entry.source) ?? entry.source} too, so that it can be made again.`);
  }
  return { entry, record: await recordOf(name, release, entry, context) };
}

/** An entry that is not the index's own has changed hands: its record is another source's. */
function isCurrent(record: VersionRecord, release: Release, entry: IndexEntry, state: PackageState, context: PackageContext): boolean {
  // whether an inline record has changed is not remembered; making it again costs nothing
  return release.recordDigest === undefined && (record['default-branch'] === true) === release.defaultBranch && !context.renewed.has(entry.source) && state.index.versions.includes(entry);
}

async function recordOf(name: PackageName, release: Release, entry: IndexEntry, context: PackageContext): Promise<VersionRecord> {
  const { version, normalized, reference, time, defaultBranch, sourceUrl } = release;
  const { settings } = context;
  return versionRecord({
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
}

/** Throws QuarantineError or GitFailure: then this version is left out. */
export async function makeVersion(name: PackageName, fresh: FreshRelease, state: PackageState, context: PackageContext): Promise<Made> {
  const { release, source } = fresh;
  const path = archivePath(name, release, state);
  const base = { version: release.version, version_normalized: release.normalized, reference: release.reference, time: release.time ?? null, path, state: 'published', since: context.now.toISOString(), source } as const;
  const reuse = fresh.reuse !== undefined && (await context.output.facts('public', fresh.reuse.path))?.size === fresh.reuse.size ? fresh.reuse : undefined;
  if (reuse !== undefined) {
    const entry: IndexEntry = { ...base, shasum: reuse.shasum, size: reuse.size };
    return { entry, record: await recordOf(name, release, entry, context), archive: undefined, pin: reuse.path === path ? undefined : { from: reuse.path, to: path }, remarks: [] };
  }
  const { name: written } = await release.composerJson();
  const target = context.output.stagingPath();
  const { shasum, size, withheld } = await archiveRelease(name, release, target, context.archiver);
  const entry: IndexEntry = { ...base, shasum, size };
  return { entry, record: await recordOf(name, release, entry, context), archive: { file: { path: target }, path }, pin: undefined, remarks: remarksOn(name, written, withheld) };
}

function remarksOn(name: PackageName, written: unknown, withheld: readonly string[]): readonly string[] {
  const inOtherCase = typeof written === 'string' && written !== name && written.toLowerCase() === name;
  return [
    ...(inOtherCase ? [`composer.json writes the name as ${written}; Composer asks for names in lower case, so it is published as ${name}. Write it so.`] : []),
    ...(withheld.length === 0 ? [] : [`left out, since they look like credentials: ${withheld.join(', ')}`]),
  ];
}

async function archiveRelease(name: PackageName, { content, reference }: Release, target: string, archiver: Archiver): Promise<Archived> {
  if ('copyTo' in content) return { ...(await content.copyTo(target)), withheld: [] };
  return archiver.archive(content, { topFolder: `${name.replace('/', '-')}-${reference.slice(0, 7)}`, target });
}

/** A label that ever stood for other content gets a file of its own for each content; all others the plain one. */
function archivePath(name: PackageName, release: Release, state: PackageState): PublicPath {
  const shared = state.index.versions.some((entry) => entry.version === release.version && entry.reference !== release.reference);
  return release.dev || shared ? pinnedDistPath(name, release.version, release.reference) : distPath(name, release.version);
}

