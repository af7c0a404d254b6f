// A version that stays published: its entry and its record, renewed where source or settings have changed.

import type { PackageName } from '../contract/name.ts';
import { providerPath } from '../contract/paths.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { isDevVersion } from '../contract/version.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { distOf } from '../documents/documents.ts';
import { startAgain } from '../documents/recover-index.ts';
import type { Release } from '../sources/release.ts';
import type { PackageContext, PublishedRecord, VersionContext } from './package-context.ts';
import type { PackageDecision } from './package-decision.ts';
import type { PackageState } from './package-state.ts';
import { recordOf, sourceFacts } from './version-record.ts';

/**
 * The record of a version that stays published. It is made again from the release if the published record is unusable,
 * differs about the branch, or was made under other settings. The archive's bytes stay. Throws PackageDamaged if the
 * record is lost and there is no release.
 */
export async function keepVersion(
  name: PackageName,
  kept: PackageDecision['kept'][number],
  state: PackageState,
  context: VersionContext,
): Promise<PublishedRecord> {
  const { release } = kept;
  const entry = await renewedEntry(kept, state, context);
  const found = state.records.get(entry.version_normalized);
  const usable = found?.version === entry.version && found.dist?.reference === entry.reference ? found : undefined;
  if (usable !== undefined && (release === undefined || isCurrent(usable, release, kept.entry, state, context)))
    return { entry, record: { ...usable, dist: distOf(name, entry, context.settings) } };
  if (release === undefined) throw lostRecord(name, entry, context);
  return { entry, record: await recordOf(name, release, entry, context) };
}

/** A build of every source has the last word; any other build sends to it. */
function lostRecord(name: PackageName, entry: IndexEntry, { sources, readsAll }: VersionContext): PackageDamaged {
  const path = `public/${providerPath(name, isDevVersion(entry.version_normalized) ? 'dev' : 'stable')}`;
  const location = sources.get(entry.source);
  const advice = readsAll
    ? (location === undefined
        ? 'No source of this registry has the version'
        : `The source ${location} cannot be read, or does not have the version`) +
      `. Restore ${path} from a backup${location === undefined ? '' : ', or make the source readable and build again'}. ` +
      startAgain(name)
    : 'Remove build/manifest.json, unless index/_publication.json is lost, and run `libretto build` without ' +
      'naming a source: it compares everything and ' +
      'writes the document again.';
  return new PackageDamaged(
    `${path} is damaged or lost: the document does not hold version ${entry.version}, which the serving index says is ` +
      `published. ${advice}`,
  );
}

/**
 * The entry with the source's present facts. README and CHANGELOG are read again together with the record, and if one
 * of them is lost. Without the release the entry stays unchanged.
 */
async function renewedEntry(
  { entry: found, release }: PackageDecision['kept'][number],
  state: PackageState,
  { texts, renewed }: VersionContext,
): Promise<IndexEntry> {
  if (release === undefined) return found;
  const { branch: _branch, signed_by: _signer, ...unnamed } = found;
  const entry = { ...unnamed, ...sourceFacts(release) };
  const lost = [entry.readme, entry.changelog].some((digest) => digest !== undefined && !state.texts.has(digest));
  if (release.content.texts === undefined || !(lost || renewed.has(entry.source) || state.indexText === undefined))
    return entry;
  const { readme: _readme, changelog: _changelog, ...bare } = entry;
  return { ...bare, ...(await texts.stage(await release.content.texts())) };
}

/** An entry that the index does not hold has changed its source: then the record is of the earlier source. */
function isCurrent(
  record: VersionRecord,
  release: Release,
  entry: IndexEntry,
  state: PackageState,
  context: PackageContext,
): boolean {
  // changes of an inline record are not remembered; making the record again costs nothing
  return (
    release.recordDigest === undefined &&
    (record['default-branch'] === true) === release.defaultBranch &&
    !context.renewed.has(entry.source) &&
    (state.entries.get(entry.version)?.includes(entry) ?? false)
  );
}
