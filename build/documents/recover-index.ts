// Recovers the serving index of a package from its published files, after the index file was lost or damaged (decision
// D8). Every archive that p2 names must exist; otherwise the build stops with a message.

import { basename } from 'node:path';
import { parseReference, parseSha1, type Reference, type Sha1 } from '../contract/digest.ts';
import { isJsonObject } from '../contract/json.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { unknownSource } from '../contract/publication.ts';
import {
  distPath,
  indexPath,
  parseDistLabel,
  pinnedDistPath,
  providerPath,
  publicationPath,
  type DistLabel,
  type PublicPath,
} from '../contract/paths.ts';
import {
  servingIndexFormat,
  type DocumentStamp,
  type IndexEntry,
  type PackageIndex,
} from '../contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { parseProvider } from './documents.ts';
import type { Output } from '../output/output.ts';
import { firstPublished } from './published-time.ts';
import { PackageDamaged } from '../contract/refusals.ts';

/** The facts that a recovery has in addition to the files of the package. */
export interface RecoveryContext {
  readonly now: Date;
  /** archives that an interrupted publication placed and never announced; they prove no publication */
  readonly leftovers: ReadonlySet<PublicPath>;
  /** the package's presence in packages.json */
  readonly published: Published;
  /** versions without a document may go: a person accepts that, or the build reads every source */
  readonly mayLose: MayLose;
}

/** `unknown`: packages.json is lost or damaged. */
export type Published = 'yes' | 'no' | 'unknown';

/** `dev`: dev versions alone, which the sources that are read bring back. */
export type MayLose = 'nothing' | 'dev' | 'all';

/** The context of readers that publish nothing: the recovered index only lists the existing contents. */
export function inspecting(known: Partial<Pick<RecoveryContext, 'leftovers' | 'published'>> = {}): RecoveryContext {
  return { now: new Date(0), leftovers: new Set(), published: 'unknown', mayLose: 'nothing', ...known };
}

/**
 * undefined: this package has no published version. Throws PackageDamaged if the published files contradict each other,
 * or are lost.
 */
export async function recoverIndex(
  output: Output,
  name: PackageName,
  context: RecoveryContext,
): Promise<PackageIndex | undefined> {
  const since = context.now.toISOString();
  const stable = await recoverDocument(output, name, 'stable');
  const dev = await recoverDocument(output, name, 'dev');
  const published = await Promise.all(
    [...stable.records, ...dev.records].map((record) => publishedEntry(output, name, record, since)),
  );
  const superseded = await supersededEntries(
    output,
    name,
    new Set([...context.leftovers, ...published.map((entry) => entry.path)]),
    since,
  );
  const documents = { stable: stable.stamp, dev: dev.stamp };
  refuseLostDocuments(name, documents, superseded, context);
  if (stable.stamp === null && dev.stamp === null && superseded.length === 0) return undefined;
  return { format: servingIndexFormat, name, documents, versions: [...published, ...superseded] };
}

/**
 * Archives do not show which versions were published. So a package that may be published needs a document for the
 * archives of releases, and one for those of dev versions. A package of packages.json always has the stable document
 * (I2).
 */
function refuseLostDocuments(
  name: PackageName,
  documents: PackageIndex['documents'],
  unnamed: readonly IndexEntry[],
  { published, mayLose }: RecoveryContext,
): void {
  if (published === 'no') return;
  const lacks = (kind: 'stable' | 'dev'): boolean =>
    documents[kind] === null && unnamed.some((entry) => isDevVersion(entry.version_normalized) === (kind === 'dev'));
  const isWhole = documents.stable !== null || published === 'unknown' || mayLose === 'all';
  const losesDev = lacks('dev') && (documents.stable === null || mayLose === 'nothing');
  if (isWhole && !lacks('stable') && !losesDev) return;
  const lost = (['stable', 'dev'] as const).filter((kind) => documents[kind] === null);
  const files = lost.map((kind) => `public/${providerPath(name, kind)}`).join(' and ');
  throw new PackageDamaged(
    `${files} and the serving index of ${name} are lost, so its published versions are unknown. ${restorePackage(name)}`,
  );
}

/** The remedies for a package whose published versions are unknown. */
function restorePackage(name: PackageName): string {
  return `Restore index/${indexPath(name)} and the documents from a backup. ${startAgain(name)}`;
}

/** The last remedy: publishes the package again from its present sources. */
export function startAgain(name: PackageName): string {
  return (
    `Without a backup, move what there is of index/${indexPath(name)}, public/${providerPath(name, 'stable')}, ` +
    `public/${providerPath(name, 'dev')} and public/dist/${name}/ to another place, remove build/manifest.json ` +
    `unless index/${publicationPath} is lost, ` +
    'and run `libretto build --allow-withdraw`: it publishes the versions that the sources have, and no others. ' +
    `Name every source there while index/${publicationPath} is lost.`
  );
}

async function recoverDocument(
  output: Output,
  name: PackageName,
  kind: 'stable' | 'dev',
): Promise<{ stamp: DocumentStamp | null; records: readonly VersionRecord[] }> {
  const path = providerPath(name, kind);
  const text = await output.read('public', path);
  const facts = await output.facts('public', path);
  if (text === undefined || facts === undefined) return { stamp: null, records: [] };
  try {
    return { stamp: { last_modified: facts.lastModified, sha256: digestOf(text) }, records: parseProvider(text, name) };
  } catch (cause) {
    throw new PackageDamaged(
      `public/${path} is damaged and the serving index of ${name} is damaged or lost, so its published versions are ` +
        `unknown. ${restorePackage(name)}`,
      { cause },
    );
  }
}

async function publishedEntry(
  output: Output,
  name: PackageName,
  record: VersionRecord,
  since: string,
): Promise<IndexEntry> {
  const { label, reference, wanted } = publishedDist(name, record);
  const pinned = pinnedDistPath(name, label, reference);
  for (const path of [pinned, distPath(name, label)]) {
    const facts = await output.facts('public', path);
    const shasum = await output.sha1('public', path);
    if (facts === undefined || shasum === undefined) continue;
    // without a checksum only its pinned name identifies the archive of a dev version
    if (wanted === undefined ? path !== pinned : shasum !== wanted) continue;
    return {
      version: record.version,
      version_normalized: record.version_normalized,
      reference,
      shasum,
      size: facts.size,
      time: record.time ?? null,
      path,
      state: 'published',
      since,
      ...firstPublished(record['published-time'], new Date(since)),
      source: unknownSource,
    };
  }
  throw new PackageDamaged(
    `public/${distPath(name, label)} is missing or has other bytes than the document of ${name} says, ` +
      `and the serving index that would know more is lost. Restore the archive from a backup. ${startAgain(name)}`,
  );
}

interface PublishedDist {
  readonly label: DistLabel;
  readonly reference: Reference;
  /** undefined: a dev version without a checksum */
  readonly wanted: Sha1 | undefined;
}

function publishedDist(name: PackageName, record: VersionRecord): PublishedDist {
  const parsed = parseDistLabel(record.version);
  const dist = isJsonObject(record.dist) ? record.dist : undefined;
  const reference = parseReference(String(dist?.reference));
  const wanted = parseSha1(String(dist?.shasum));
  const isKnown = wanted !== undefined || isDevVersion(record.version_normalized);
  if ('label' in parsed && reference !== undefined && isKnown) return { label: parsed.label, reference, wanted };
  throw new PackageDamaged(
    `public/${providerPath(name, isDevVersion(record.version_normalized) ? 'dev' : 'stable')}: version ` +
      `${record.version} has no usable dist, and the serving index is damaged or lost. ${restorePackage(name)}`,
  );
}

/** The file name identifies older contents of mutable versions. Other files are left alone. */
async function supersededEntries(
  output: Output,
  name: PackageName,
  known: ReadonlySet<PublicPath>,
  since: string,
): Promise<readonly IndexEntry[]> {
  const entries: IndexEntry[] = [];
  for (const file of await output.list('public', `dist/${name}`)) {
    const pinned = parsePinned(file.slice(`dist/${name}/`.length));
    const path = file as PublicPath;
    if (known.has(path)) continue;
    const label = pinned?.label ?? plainLabel(file.slice(`dist/${name}/`.length));
    const normalized = label === undefined ? undefined : normalizeVersion(label);
    const facts = await output.facts('public', path);
    const shasum: Sha1 | undefined = await output.sha1('public', path);
    if (label === undefined || normalized === undefined || facts === undefined || shasum === undefined) continue;
    // A plain file that no document names is a withdrawn release, or the copy of a dev version's content that has its
    // own entry.
    if (pinned === undefined && (await hasPinnedTwin(output, name, label))) continue;
    entries.push({
      version: label,
      version_normalized: normalized,
      reference: pinned?.reference ?? (shasum as string as Reference),
      shasum,
      size: facts.size,
      time: null,
      path,
      state: pinned === undefined ? 'withdrawn' : 'superseded',
      since,
      source: unknownSource,
    });
  }
  return entries;
}

async function hasPinnedTwin(output: Output, name: PackageName, label: DistLabel): Promise<boolean> {
  const siblings = await output.list('public', `dist/${name}`);
  return siblings.some((file) => basename(file).startsWith(`${basename(label)}@`));
}

function parsePinned(file: string): { readonly label: DistLabel; readonly reference: Reference } | undefined {
  const match = /^(.+)@([0-9a-f]{40}|[0-9a-f]{64})\.zip$/.exec(file);
  const label = match === null ? undefined : plainLabel(`${match[1]}.zip`);
  const reference = match === null ? undefined : parseReference(match[2] ?? '');
  return label === undefined || reference === undefined ? undefined : { label, reference };
}

function plainLabel(file: string): DistLabel | undefined {
  if (!file.endsWith('.zip')) return undefined;
  const parsed = parseDistLabel(file.slice(0, -'.zip'.length));
  return 'label' in parsed ? parsed.label : undefined;
}
