// Re-reads a tree and proves its promises. Writes nothing, and needs no lock. It checks:
//
// - I1 and I3: every archive that p2 names exists, with the published bytes
// - I2: every listed name has its document
// - I4: only the three public shapes are served
// - I5: an interrupted publication left the files that the next build expects
// - I6: the serial has not decreased
// - I21: the tree has no purged contents
// - serving index, documents, tombstones and manifest are unchanged since their writing

import { providerPath, publicationPath, rootDocumentPath, indexPath } from '../contract/paths.ts';
import { type PackageName, parsePackageName } from '../contract/name.ts';
import type { Publication } from '../contract/publication.ts';
import { manifestPath, type Manifest } from '../memory/manifest.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { indexedNames } from '../publish/withdrawn-packages.ts';
import { unfinishedArchives, verifyManifestBytes, verifyMemory } from './verify-announcement.ts';
import { repairsBeside, type Fault, type VerifyNotice, type SameFiles, type VerifyContext } from './verify-fault.ts';
import { verifyLists, verifyAdvisoryLists } from './verify-lists.ts';
import { verifyPackage } from './verify-package.ts';
import { hasAnnouncementFault, unannouncedNames, verifyRootDocument } from './verify-root-document.ts';
import { verifyHistory, purgedFileFault } from './verify-tombstones.ts';

// Examines files below public/ that no document and no serving index names. An archive may be the only copy of a
// published version. So the advice about an archive is never its removal.

const archivePattern = /^dist\/([^/]+\/[^/]+)\/.+\.zip$/;

/** Packages that have an archive below public/. Archives of an unfinished publication do not count. Unsorted. */
function packagesOfArchives(
  files: readonly string[],
  { leftovers }: Pick<VerifyContext, 'leftovers'>,
): readonly PackageName[] {
  const unfinished: ReadonlySet<string> = leftovers;
  const names = files.flatMap((file) => (unfinished.has(file) ? [] : (packageOfArchive(file) ?? [])));
  return [...new Set(names)];
}

function packageOfArchive(file: string): PackageName | undefined {
  return parsePackageName(archivePattern.exec(file)?.[1] ?? '');
}

/** `known`: paths below public/ that something names. `faults`: found so far. */
async function foreignFiles(
  files: readonly string[],
  known: ReadonlySet<string>,
  faults: readonly Fault[],
  context: VerifyContext,
): Promise<readonly Fault[]> {
  const unsure = unsureFolders(faults);
  const foreign: Fault[] = [];
  for (const file of files) {
    if (known.has(file)) continue;
    const purged = await purgedFileFault(file, context);
    if (purged !== undefined) foreign.push(purged);
    else if (!unsure.has(packageFolder(file))) foreign.push(foreignFile(file));
  }
  return foreign;
}

/**
 * Folders of archives whose damaged index or document does not list its archives: the damage is the fault, not the
 * archive.
 */
function unsureFolders(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.flatMap(({ name, path }) => (isOfPackage(name, path) ? [`dist/${name}/`] : [])));
}

/** True if the path is the index or a document of the package. */
function isOfPackage(name: string | undefined, path: string): name is PackageName {
  const parsed = parsePackageName(name ?? '');
  if (parsed === undefined) return false;
  const documents = (['stable', 'dev'] as const).map((kind) => `public/${providerPath(parsed, kind)}`);
  return [`index/${indexPath(parsed)}`, ...documents].includes(path);
}

/** `dist/<vendor>/<package>/` of a file in that folder. */
function packageFolder(file: string): string {
  return `${file.split('/', 3).join('/')}/`;
}

function foreignFile(path: string): Fault {
  const name = packageOfArchive(path);
  const advice =
    name === undefined
      ? 'Remove it if it is not yours; a build never does.'
      : `If ${name} never published this archive, move it to another place; a build never does.`;
  return {
    code: 'FOREIGN_FILE',
    path: `public/${path}`,
    message: `This file is in the served tree, but no document and no serving index names it. ${advice}`,
  };
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly checked: { readonly packages: number; readonly versions: number; readonly archives: number };
  readonly faults: readonly Fault[];
  /** versions that a purge left: only their files equal those of a purged version */
  readonly same_files: readonly SameFiles[];
  /** findings that are no fault, and that another command settles */
  readonly notices: readonly VerifyNotice[];
}

/**
 * `fast`: checks only size and existence of archives and texts. If a publication ends during the check, the tree is
 * read once more, and the change is no fault.
 */
export async function verifyTree(
  dataDirectory: string,
  { fast = false }: { readonly fast?: boolean } = {},
): Promise<VerifyReport> {
  const output = createDiskOutput(dataDirectory);
  for (let attempts = 3; ; attempts -= 1) {
    const before = await positionOf(output);
    const report = await verifyOnce(output, fast);
    if (report.ok || attempts === 1 || before === (await positionOf(output))) return report;
  }
}

/** Changes with every step of a publication that could make this check report a fault. */
async function positionOf(output: Output): Promise<string> {
  return JSON.stringify([await output.read('build', manifestPath), await output.read('index', publicationPath)]);
}

async function verifyOnce(output: Output, fast: boolean): Promise<VerifyReport> {
  const faults: Fault[] = [];
  const { manifest, publication, announced, outdated } = await verifyMemory(output, faults);
  faults.push(...(await verifyAdvisoryLists(output, publication)));
  const lists = await verifyLists(output, announced);
  faults.push(...lists.faults);
  const repairs = repairsBeside(faults);
  await verifyManifestBytes(output, repairs, faults);
  const placing = unfinishedArchives(publication, manifest, faults);
  const listing = await verifyRootDocument(output, publication, placing === undefined, faults);
  const settled = placing === undefined;
  const leftovers = new Set(placing);
  const context: VerifyContext = { output, tombstones: lists.tombstones, repairs, fast, settled, leftovers };
  const files = await output.list('public', '');
  const { checked, known, same } = await verifyPackages(
    { listing: outdated ? undefined : listing, placing, publication, archived: packagesOfArchives(files, context) },
    context,
    faults,
  );
  faults.push(...(await foreignFiles(files, known, faults, context)));
  // the next build removes the history of an interrupted purge
  if (manifest !== undefined && manifest.purging !== true) faults.push(...(await verifyHistory(context)));
  // beside a lost or damaged announcement, a newer manifest proves no publication
  const isUnfinished = !settled && !hasAnnouncementFault(faults);
  const notices = isUnfinished ? [unfinished] : !settled || publication === undefined ? [] : lists.unannounced;
  return { ok: faults.length === 0, checked, faults, same_files: same, notices };
}

const unfinished: VerifyNotice = {
  path: `build/${manifestPath}`,
  message:
    'A publication is under way, or was interrupted. If nothing is running, run the interrupted command again, which ' +
    'completes it: `libretto build`, or the same `receive` or `adopt`.',
};

interface TreeNames {
  /** names in packages.json; undefined if that file is not the published one */
  readonly listing: readonly PackageName[] | undefined;
  /** archives of an unfinished publication */
  readonly placing: Manifest['placing'] | undefined;
  readonly publication: Publication | undefined;
  /** packages with archives in the served tree */
  readonly archived: readonly PackageName[];
}

interface CheckedPackages {
  readonly checked: VerifyReport['checked'];
  /** paths below public/ that belong to the tree */
  readonly known: ReadonlySet<string>;
  readonly same: readonly SameFiles[];
}

async function verifyPackages(
  { listing, placing, publication, archived }: TreeNames,
  context: VerifyContext,
  faults: Fault[],
): Promise<CheckedPackages> {
  const indexed = await indexedNames(context.output);
  const withdrawn = new Set<string>(publication?.withdrawn);
  const inTree = [...(await listTreePackages(context.output)), ...archived];
  const names = listing ?? [...new Set(inTree)].filter((name) => !withdrawn.has(name));
  const unlisted = [...indexed, ...archived.filter((name) => withdrawn.has(name))];
  if (context.settled && listing !== undefined)
    faults.push(...unannouncedNames(indexed, listing, publication, context.repairs));
  const published = new Set<string>(listing);
  const known = new Set<string>([rootDocumentPath, ...(placing ?? []), ...(listing ?? []).flatMap(documentPaths)]);
  const same: SameFiles[] = [];
  const checked = { packages: names.length, versions: 0, archives: 0 };
  for (const name of new Set([...names, ...unlisted])) {
    const isUnsure = listing === undefined && !withdrawn.has(name);
    const found = await verifyPackage(name, isUnsure ? 'unknown' : published.has(name) ? 'yes' : 'no', context);
    faults.push(...found.faults);
    same.push(...found.sameFiles);
    checked.versions += found.versions;
    checked.archives += found.archives;
    for (const path of found.files) known.add(path);
    if (listing === undefined) for (const path of found.documents) known.add(path);
    // a publication places documents before packages.json lists them, and removes them after packages.json drops them
    if (placing !== undefined) for (const path of documentPaths(name)) known.add(path);
  }
  return { checked, known, same };
}

function documentPaths(name: PackageName): readonly string[] {
  return [providerPath(name, 'stable'), providerPath(name, 'dev')];
}
