// A version that is published for the first time, or with other content: its archive, its entry and its record.

import type { ArchiveOptions, Archived, Archiver } from '../archive/archiver.ts';
import { checkArchive, type ExpectedArchive } from '../archive/check-archive.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { distPath, pinnedDistPath, type PublicPath } from '../contract/paths.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { firstPublished } from '../documents/published-time.ts';
import { autoloadDevFaults } from '../record/check-autoload.ts';
import type { Alias, Placement } from '../output/publication.ts';
import type { Release } from '../sources/release.ts';
import { PurgedBytes } from '../version-lists/purged-bytes.ts';
import type { PublishedRecord, VersionContext } from './package-context.ts';
import type { FreshRelease } from './package-decision.ts';
import type { PackageState } from './package-state.ts';
import type { TextsOfVersion } from './package-texts.ts';
import { recordOf, sourceFacts } from './version-record.ts';

export interface BuiltVersion extends PublishedRecord {
  readonly archive: Placement | undefined;
  readonly pin: Alias | undefined;
  /** notices about the version, each a sentence */
  readonly remarks: readonly string[];
}

/** Throws QuarantineError, GitFailure or PurgedBytes: then this version is left out. */
export async function makeVersion(
  name: PackageName,
  fresh: FreshRelease,
  state: PackageState,
  context: VersionContext,
): Promise<BuiltVersion> {
  const { release, source, reuse } = fresh;
  const base: EntryBase = {
    version: release.version,
    version_normalized: release.normalized,
    reference: release.reference,
    path: archivePath(name, release, state),
    state: 'published',
    since: context.now.toISOString(),
    source,
    ...sourceFacts(release),
    ...firstPublished(release.publishedTime, context.now),
  };
  const isUsable = reuse !== undefined && (await context.output.facts('public', reuse.path))?.size === reuse.size;
  return isUsable ? reuseArchive(name, release, base, reuse, context) : makeArchive(name, fresh, base, context);
}

/** An index entry before its archive is known. */
type EntryBase = Omit<IndexEntry, 'shasum' | 'size'>;

/** The content was archived before, under another label or another path. */
async function reuseArchive(
  name: PackageName,
  release: Release,
  base: EntryBase,
  { shasum, size, path }: IndexEntry,
  context: VersionContext,
): Promise<BuiltVersion> {
  const entry: IndexEntry = { ...base, shasum, size, ...(await textsOf(release, context)) };
  return {
    entry,
    record: await recordOf(name, release, entry, context),
    archive: undefined,
    pin: path === base.path ? undefined : { from: path, to: base.path },
    remarks: [],
  };
}

async function makeArchive(
  name: PackageName,
  fresh: FreshRelease,
  base: EntryBase,
  context: VersionContext,
): Promise<BuiltVersion> {
  const { release } = fresh;
  const repeated = new Set<string>();
  const composerJson = await release.composerJson((key) => repeated.add(key));
  const target = context.output.stagingPath();
  const { shasum, size, ...leftOut } = await archiveRelease(
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
    archive: { file: { path: target }, path: base.path },
    pin: undefined,
    remarks: remarksOn(name, { composerJson, repeated, ...leftOut }),
  };
}

function otherThanPruned({ version }: Release, shasum: string, pruned: string): QuarantineError {
  return new QuarantineError(
    'VERSION_CHANGED',
    `its archive has other bytes (SHA-1 ${shasum.slice(0, 12)}) than version ${version} had before it was pruned ` +
      `(${pruned.slice(0, 12)}). Released versions never change: publish a new version, ` +
      'or use --allow-republish if nobody can have installed the old one.',
  );
}

async function textsOf({ content }: Release, { texts }: VersionContext): Promise<TextsOfVersion> {
  return content.texts === undefined ? {} : texts.stage(await content.texts());
}

interface Remarkable extends Pick<Archived, 'withheld' | 'unsafeLinks'> {
  readonly composerJson: JsonObject;
  /** keys of its composer.json that occur twice in one object */
  readonly repeated: ReadonlySet<string>;
}

function remarksOn(
  name: PackageName,
  { composerJson, withheld, unsafeLinks = [], repeated }: Remarkable,
): readonly string[] {
  const { name: written } = composerJson;
  const inOtherCase = typeof written === 'string' && written !== name && written.toLowerCase() === name;
  return [
    ...(inOtherCase
      ? [
          `composer.json has the name ${written}. Composer requires lower case, so the package is published as ` +
            `${name}. Correct the name.`,
        ]
      : []),
    ...autoloadDevFaults(composerJson),
    ...[...repeated].map(
      (key) =>
        `composer.json has the key ${JSON.stringify(key.slice(0, 100))} twice in one object. ` +
        'The last value counts, as in Composer; keep only one.',
    ),
    ...(withheld.length === 0 ? [] : [`left out, since they look like credentials: ${withheld.join(', ')}`]),
    ...(unsafeLinks.length === 0 ? [] : [`symbolic links left out: ${unsafeLinks.join('; ')}`]),
  ];
}

/**
 * Copies the archive that a source has, which was checked byte for byte, or makes one. An archive that is made here is
 * opened and checked before any reader can get it.
 */
async function archiveRelease(
  { content }: Release,
  options: ArchiveOptions & Pick<ExpectedArchive, 'composerJson'>,
  archiver: Archiver,
): Promise<Archived> {
  if ('copyTo' in content) return { ...(await content.copyTo(options.target)), withheld: [], hasComposerJson: true };
  const archived = await archiver.archive(content, options);
  checkArchive(options.target, { ...options, ...archived, mayNameAnother: content.mayNameAnother === true });
  return archived;
}

function topFolderOf(name: PackageName, { reference }: Release): string {
  return `${name.replace('/', '-')}-${reference.slice(0, 7)}`;
}

/**
 * A label that ever had another content gets one file for each content, with the reference in its name. Every other
 * label gets the plain file.
 */
function archivePath(name: PackageName, release: Release, state: PackageState): PublicPath {
  const shared = state.entries.get(release.version)?.some((entry) => entry.reference !== release.reference) ?? false;
  return release.dev || shared
    ? pinnedDistPath(name, release.version, release.reference)
    : distPath(name, release.version);
}
