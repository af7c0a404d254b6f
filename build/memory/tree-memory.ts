// The state of the tree at the start of a build: the publication of readers, and which parts of the builder's memory
// are valid.

import type { AnnouncedLists } from '../contract/announced-lists.ts';
import { publicationPath, rootDocumentPath, type PublicPath } from '../contract/paths.ts';
import {
  parsePublication,
  type Publication,
  type PublishedSource,
  type RollbackHold,
} from '../contract/publication.ts';
import { isJsonObject } from '../contract/json.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { DocumentStamp } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { announcedLists, isInterrupted, newerRecord, newestSerial } from './announced.ts';
import { recordedSerials } from '../history/read-history.ts';
import { describeDamage, unprovenLists } from './tree-damage.ts';
import { readManifest, type Manifest } from './manifest.ts';

export interface TreeMemory {
  readonly publication: Publication | undefined;
  readonly serial: number;
  readonly sources: readonly PublishedSource[];
  /** changes that rollbacks undid and that still hold */
  readonly undone: readonly RollbackHold[] | undefined;
  /** true: the memory of sources belongs to this very publication and these settings */
  readonly trusted: boolean;
  /** archives that an interrupted publication may have left in place */
  readonly leftovers: readonly PublicPath[];
  /** ids of sources whose records the next successful read has to rebuild */
  readonly stale: ReadonlySet<string>;
  /** names in packages.json, if readable */
  readonly names: readonly PackageName[];
  /** packages.json names every published package */
  readonly namesComplete: boolean;
  /** the package's presence in packages.json; `unknown`: packages.json is not the published one */
  readonly isPublished: (name: PackageName) => 'yes' | 'no' | 'unknown';
  /** the damage found and repaired from other files; for people */
  readonly damage: readonly string[];
  /** true: a publication was interrupted, and this build completes it */
  readonly interrupted: boolean;
  /** false: packages.json is not on disk as the publication has it */
  readonly rootIntact: boolean;
  /**
   * every stamp of packages.json that readers may have seen: of the announcement, of the file on disk, and of an
   * interrupted publication
   */
  readonly rootStamps: readonly DocumentStamp[];
  /** digest of the settings of the builder's memory; undefined if there is no memory */
  readonly settings: string | undefined;
  /** the target of an interrupted rollback */
  readonly rollback: number | undefined;
  /**
   * true: remains of purged versions outside the tree may exist, because their removal was interrupted or is not
   * recorded
   */
  readonly purging: boolean;
  /** rows that the lists must have: as announced, or as the manifest remembers */
  readonly announced: AnnouncedLists;
  /** lists below index/ that are missing, and that nothing in the tree names a row of */
  readonly unproven: readonly string[];
  /** the last publication in history, if announcement and manifest are older: they come from an older copy */
  readonly newerRecord: number | undefined;
}

/** Throws BuildRefused for a tree of a newer Libretto, and for a non-empty tree without announcement and packages.json. */
export async function readTreeMemory(output: Output, settings: string): Promise<TreeMemory> {
  const manifest = await readManifest(output);
  const publication = await readPublication(output);
  const root = await readRoot(output);
  if (publication === undefined && root.stamp === undefined) await refuseLostTree(output);
  const isPublishedText = root.stamp !== undefined && root.stamp.sha256 === publication?.root.sha256;
  const rootIntact = isIntact(root, publication);
  const interrupted = isInterrupted(manifest, publication);
  const wasWhole = publication === undefined ? root.stamp !== undefined : !interrupted;
  const recorded = await recordedSerials(output);
  const serial = newestSerial(manifest, publication);
  const newer = newerRecord(serial, recorded);
  const announced = await announcedLists(output, publication, manifest, recorded);
  const listed = (isPublishedText && newer === undefined) || publication === undefined ? root.names : undefined;
  const unproven = (publication ?? manifest) === undefined ? await unprovenLists(output, announced, wasWhole) : [];
  return {
    damage: describeDamage(
      { wasWhole, manifest, publication, root: rootIntact, rootText: isPublishedText, outdated: newer !== undefined },
      listed === undefined ? unproven : [],
    ),
    interrupted: interrupted && publication !== undefined,
    publication,
    // the manifest may be lost, or come from an older backup: history still has the last serial (I6)
    serial: Math.max(serial, ...recorded),
    trusted:
      newer === undefined &&
      rootIntact &&
      manifest !== undefined &&
      manifest.serial === publication?.serial &&
      manifest.settings === settings,
    names: listed ?? (await knownAmong(root.names ?? [], output)),
    namesComplete: listed !== undefined,
    isPublished: isPublishedBy(listed, publication),
    rootIntact,
    rootStamps: [publication?.root, manifest?.root, root.stamp].filter((stamp) => stamp !== undefined),
    ...builderMemory(manifest, publication),
    announced,
    unproven,
    newerRecord: newer,
  };
}

/** The parts that the manifest and the announcement name. */
function builderMemory(
  manifest: Manifest | undefined,
  publication: Publication | undefined,
): Pick<TreeMemory, 'sources' | 'undone' | 'leftovers' | 'stale' | 'settings' | 'rollback' | 'purging'> {
  const interrupted = isInterrupted(manifest, publication);
  return {
    sources: knownSources(manifest, publication),
    undone: publication === undefined ? manifest?.undone : publication.undone,
    leftovers: interrupted ? manifest.placing : [],
    stale: new Set(manifest?.stale),
    settings: manifest?.settings,
    rollback: interrupted ? manifest.rollback : undefined,
    purging: manifest?.purging ?? manifest === undefined,
  };
}

/** The state of packages.json on disk. */
interface RootOnDisk {
  /** undefined: the file is missing */
  readonly stamp: DocumentStamp | undefined;
  /** undefined: the file is missing or damaged */
  readonly names: readonly PackageName[] | undefined;
}

function isIntact({ stamp, names }: RootOnDisk, publication: Publication | undefined): boolean {
  if (stamp === undefined || names === undefined || publication === undefined) return false;
  return stamp.sha256 === publication.root.sha256 && stamp.last_modified === publication.root.last_modified;
}

async function readRoot(output: Output): Promise<RootOnDisk> {
  const text = await output.read('public', rootDocumentPath);
  const facts = await output.facts('public', rootDocumentPath);
  if (text === undefined || facts === undefined) return { stamp: undefined, names: undefined };
  return { stamp: { last_modified: facts.lastModified, sha256: digestOf(text) }, names: parseNames(text) };
}

/** Throws BuildRefused for published documents of which nothing names the versions and sources. */
async function refuseLostTree(output: Output): Promise<void> {
  if (!(await isWithoutRecords(output))) return;
  throw new BuildRefused(
    `The output tree contains packages, but packages.json and the serving index are lost. ${repairWithoutRecords}`,
  );
}

/** For a tree without packages.json and index/. */
export const repairWithoutRecords =
  'So the published versions and their sources are unknown. Restore index/ from a backup, or move public/ away to ' +
  'start again.';

/** True if there are documents, and neither packages.json nor any file of index/: builds refuse such a tree. */
export async function isWithoutRecords(output: Pick<Output, 'list' | 'facts'>): Promise<boolean> {
  if ((await output.facts('public', rootDocumentPath)) !== undefined) return false;
  return (await output.list('public', 'p2')).length > 0 && (await output.list('index', '')).length === 0;
}

/** Returns `sources` of the whole memory, without reading the rest. */
export async function readKnownSources(output: Output): Promise<readonly PublishedSource[]> {
  return knownSources(await readManifest(output), await readPublication(output));
}

/** Returns `announced` of the whole memory, without reading the rest. */
export async function readAnnounced(output: Pick<Output, 'read' | 'list'>): Promise<AnnouncedLists> {
  const [publication, manifest] = [await readPublication(output), await readManifest(output)];
  return announcedLists(output, publication, manifest, await recordedSerials(output));
}

/**
 * Sorted as the announcement has them. An interrupted publication may have published versions of sources that the
 * announcement does not name: its intent in the manifest names them. If the announcement is lost, the manifest names
 * the sources.
 */
function knownSources(
  manifest: Manifest | undefined,
  publication: Publication | undefined,
): readonly PublishedSource[] {
  const announced = publication?.sources ?? [];
  const intended = isInterrupted(manifest, publication) ? (manifest.sources ?? []) : [];
  const added = intended.filter(({ id }) => !announced.some((source) => source.id === id));
  return added.length === 0
    ? announced
    : [...announced, ...added].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * `listed`: the names in the published packages.json; undefined where that is lost or damaged. While the announcement
 * is lost, nothing but packages.json names the published packages (I9). The file may be outdated: a name that it lacks
 * is uncertain.
 */
function isPublishedBy(
  listed: readonly PackageName[] | undefined,
  publication: Publication | undefined,
): TreeMemory['isPublished'] {
  if (listed === undefined) return (name) => (publication?.withdrawn?.includes(name) === true ? 'no' : 'unknown');
  const names = new Set(listed);
  return (name) => (names.has(name) ? 'yes' : publication === undefined ? 'unknown' : 'no');
}

/** The announcement; undefined for a lost or damaged one. Throws BuildRefused for one of a newer Libretto. */
export async function readPublication(output: Pick<Output, 'read'>): Promise<Publication | undefined> {
  const text = await output.read('index', publicationPath);
  // Damaged: packages and their sources are found again from the serving index, file by file.
  return text === undefined ? undefined : parseOwnFile(`index/${publicationPath}`, () => parsePublication(text));
}

function parseNames(text: string): readonly PackageName[] | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    if (!Array.isArray(list)) return undefined;
    return list.flatMap((name: unknown) => (typeof name === 'string' ? (parsePackageName(name) ?? []) : []));
  } catch {
    // Damaged: it is written again from the serving index.
    return undefined;
  }
}

/** For a damaged packages.json: an otherwise unknown name counts as part of the damage. */
async function knownAmong(names: readonly PackageName[], output: Output): Promise<readonly PackageName[]> {
  const known = new Set(await listTreePackages(output));
  const stored: PackageName[] = [];
  for (const name of names)
    if (known.has(name) || (await output.list('public', `dist/${name}`)).length > 0) stored.push(name);
  return stored;
}

/** Every package in the tree's files. */
export async function listTreePackages(output: Output): Promise<readonly PackageName[]> {
  const files = [
    ...(await output.list('index', '')),
    ...(await output.list('public', 'p2')).map((file) => file.slice('p2/'.length).replace(/~dev\.json$/, '.json')),
  ];
  const names = files
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => parsePackageName(file.slice(0, -'.json'.length)) ?? []);
  return [...new Set(names)].toSorted();
}
