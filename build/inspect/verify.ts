// Re-reads a tree and proves what is promised of it: I1 and I3 (what p2 names is there, with the bytes that were
// published), I2 (every listed name has its document), I4 (nothing but the three public shapes is served), I5 (what a
// cut-off publication left is what the next build expects), I6 (the serial has not gone back), I21 (nothing purged
// stands in it), and that serving index, documents, tombstones and manifest are those that were written. Writes
// nothing, needs no lock.

import { isAsWritten } from '../contract/checksum.ts';
import { NewerFormat } from '../contract/newer-format.ts';
import { publicationPath, providerPath, rootDocumentPath } from '../contract/paths.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import { isJsonObject } from '../contract/json.ts';
import { parsePublication, type Publication } from '../contract/publication.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { manifestPath, readManifest, unsettled, type Manifest } from '../memory/manifest.ts';
import { announcedBy } from '../memory/tree-memory.ts';
import { readMemory } from '../memory/source-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { BuildRefused } from '../contract/refusals.ts';
import {
  indexFault,
  repairByComparing,
  type Fault,
  type Notice,
  type SameFiles,
  type VerifyContext,
} from './verify-fault.ts';
import { verifyPackage } from './verify-package.ts';
import { verifySafety } from './verify-advisories.ts';
import { verifyLists } from './verify-lists.ts';
import { purgedFileFault, verifyHistory } from './verify-tombstones.ts';
import { indexedNames } from '../publish/withdrawn-packages.ts';

export interface VerifyReport {
  readonly ok: boolean;
  readonly checked: { readonly packages: number; readonly versions: number; readonly archives: number };
  readonly faults: readonly Fault[];
  /** what a purge left, since only its files are those of a purged version */
  readonly same_files: readonly SameFiles[];
  /** what another command settles, and nothing is wrong with */
  readonly notices: readonly Notice[];
}

/**
 * `fast`: of archives and texts size and existence only. A publication that ends meanwhile is no fault: then all is
 * looked at once more.
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

/** Moves with every step of a publication that a reader could stumble over. */
async function positionOf(output: Output): Promise<string> {
  return JSON.stringify([await output.read('build', manifestPath), await output.read('index', publicationPath)]);
}

async function verifyOnce(output: Output, fast: boolean): Promise<VerifyReport> {
  const faults: Fault[] = [];
  const manifest = await verifyMemory(output, faults);
  const publication = await readHead(output, manifest, faults);
  faults.push(...(await verifySafety(output)));
  const lists = await verifyLists(output, announcedBy(publication, manifest));
  const { tombstones } = lists;
  faults.push(...lists.faults);
  const placing = underWay(publication, manifest, faults);
  const listing = await verifyRoot(output, publication, placing === undefined, faults);
  const context: VerifyContext = { output, tombstones, fast, settled: placing === undefined };
  const files = await output.list('public', '');
  const indexed = await indexedNames(output);
  const names = listing ?? indexed.filter((name) => publication?.withdrawn?.includes(name) !== true);
  if (context.settled && listing !== undefined) faults.push(...unannounced(indexed, listing, publication));
  const published = new Set<string>(listing);
  const known = new Set<string>([
    rootDocumentPath,
    ...(placing ?? []),
    ...(listing ?? []).flatMap((name) => [providerPath(name, 'stable'), providerPath(name, 'dev')]),
  ]);
  const same: SameFiles[] = [];
  const checked = { packages: names.length, versions: 0, archives: 0 };
  for (const name of new Set([...names, ...indexed])) {
    const found = await verifyPackage(name, published.has(name), context);
    faults.push(...found.faults);
    same.push(...found.sameFiles);
    checked.versions += found.versions;
    checked.archives += found.archives;
    for (const path of found.files) known.add(path);
    if (listing === undefined) for (const path of found.documents) known.add(path);
    // documents come before packages.json lists them, and go after it has ceased to
    if (placing !== undefined) known.add(providerPath(name, 'stable')).add(providerPath(name, 'dev'));
  }
  // what a damaged index or document would say of an archive is not known: the damage is the fault, not the archive
  const unsure = new Set(
    faults.flatMap(({ code, name, path }) =>
      name !== undefined &&
      (code === 'MALFORMED_INDEX' ||
        code === 'NEWER_FORMAT' ||
        code === 'MALFORMED_DOCUMENT' ||
        (code === 'MISSING_FILE' && path.startsWith('index/')))
        ? [`dist/${name}/`]
        : [],
    ),
  );
  for (const file of files)
    if (!known.has(file) && !unsure.has(packageFolder(file)))
      faults.push((await purgedFileFault(file, context)) ?? foreign(file));
  // the next build clears history after a purge that was cut off
  if (manifest !== undefined && manifest.purging !== true) faults.push(...(await verifyHistory(context)));
  const notices = context.settled && publication !== undefined ? lists.unannounced : [];
  return { ok: faults.length === 0, checked, faults, same_files: same, notices };
}

/** `dist/<vendor>/<package>/` of what lies in it. */
function packageFolder(file: string): string {
  return `${file.split('/', 3).join('/')}/`;
}

/**
 * undefined where the last publication was finished. Else the archives of the one that is under way or was cut off: no
 * document names them yet, and the next build uses or removes them.
 */
function underWay(
  publication: Publication | undefined,
  manifest: Manifest | undefined,
  faults: Fault[],
): readonly string[] | undefined {
  if (manifest === undefined || publication?.serial === manifest.serial) return undefined;
  if (publication === undefined || publication.serial < manifest.serial) return manifest.placing;
  faults.push({
    code: 'SERIAL_BEHIND',
    path: `build/${manifestPath}`,
    message: `It is of publication ${manifest.serial}, and the tree of the later ${publication.serial} (I6): one of them was put in place by hand. The next build compares everything and goes on from the later one.`,
  });
  return undefined;
}

function foreign(path: string): Fault {
  return {
    code: 'FOREIGN_FILE',
    path: `public/${path}`,
    message:
      'No document and no serving index knows this file, yet it stands in the served tree. Remove it if it is not yours; a build never does.',
  };
}

const repairHead =
  'Restore it from a backup; or remove it and run `libretto build` with every source named: a build writes it again, and knows the sources from it alone.';

async function readHead(
  output: Output,
  manifest: Manifest | undefined,
  faults: Fault[],
): Promise<Publication | undefined> {
  const place = { path: `index/${publicationPath}` };
  const text = await output.read('index', publicationPath);
  try {
    const publication = parsePublication(text ?? '');
    if (text !== undefined && !isAsWritten(text))
      faults.push({
        code: 'MALFORMED_INDEX',
        ...place,
        message: `It was changed after it was written: its checksum is wrong. ${repairHead}`,
      });
    return publication;
  } catch (error) {
    // the very first publication is under way, or was cut off before its last step; of one without packages only the
    // open settings tell
    if (
      text === undefined &&
      manifest !== undefined &&
      (manifest.placing.length > 0 || (manifest.serial === 1 && manifest.settings === unsettled))
    )
      return undefined;
    // without a packages.json as well, nothing was ever published here
    if (text !== undefined || (await output.facts('public', rootDocumentPath)) !== undefined)
      faults.push(
        text === undefined
          ? {
              code: 'MISSING_FILE',
              ...place,
              message: `The announcement of the last publication is missing. ${repairHead}`,
            }
          : indexFault(error, place, repairHead),
      );
    return undefined;
  }
}

/** The names it lists; undefined where it is not the published one, and the serving index alone knows them. */
async function verifyRoot(
  output: Output,
  publication: Publication | undefined,
  settled: boolean,
  faults: Fault[],
): Promise<readonly PackageName[] | undefined> {
  const place = { path: `public/${rootDocumentPath}` };
  const text = await output.read('public', rootDocumentPath);
  if (text === undefined) {
    faults.push({ code: 'MISSING_FILE', ...place, message: 'There is no packages.json. Run `libretto build`.' });
    return undefined;
  }
  try {
    const names = namesIn(text);
    if (publication === undefined || digestOf(text) === publication.root.sha256) return names;
    // of a publication under way it may be the next one, of a later date
    if (!settled && (await output.facts('public', rootDocumentPath))?.lastModified !== publication.root.last_modified)
      return names;
    faults.push({
      code: 'WRONG_BYTES',
      ...place,
      message: 'It is not the one that was published. The next build writes it again.',
    });
    return undefined;
  } catch (error) {
    faults.push({
      code: 'MALFORMED_DOCUMENT',
      ...place,
      message: `${describe(error)}. The next build writes it again.`,
    });
    return undefined;
  }
}

/** Throws an Error that says what is wrong with it. */
function namesIn(text: string): readonly PackageName[] {
  const json: unknown = JSON.parse(text);
  const list = isJsonObject(json) ? json['available-packages'] : undefined;
  if (!Array.isArray(list)) throw new Error('it has no list of available-packages');
  return list.map((name: unknown) => {
    const parsed = typeof name === 'string' ? parsePackageName(name) : undefined;
    if (parsed === undefined) throw new Error(`it lists ${JSON.stringify(name)}, which is not a package name`);
    return parsed;
  });
}

/**
 * The memory of sources is a cache, and damage to it no fault; but that a newer version is at work here has to be
 * known.
 */
async function verifyMemory(output: Output, faults: Fault[]): Promise<Manifest | undefined> {
  const unlessNewer = async <Found>(path: string, read: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof BuildRefused) || !(error.cause instanceof NewerFormat)) throw error;
      faults.push(indexFault(error.cause, { path: `build/${path}` }, ''));
      return undefined;
    }
  };
  for (const file of await output.list('build', 'sources')) {
    if (file.endsWith('.json'))
      await unlessNewer(file, () => readMemory(output, file.slice('sources/'.length, -'.json'.length)));
  }
  const manifest = await unlessNewer(manifestPath, () => readManifest(output));
  const text = await output.read('build', manifestPath);
  if (text !== undefined && !isAsWritten(text) && !faults.some(({ path }) => path === `build/${manifestPath}`))
    faults.push({
      code: 'MALFORMED_INDEX',
      path: `build/${manifestPath}`,
      message:
        'It was changed after it was written: its checksum is wrong. Remove it and run `libretto build`, which compares everything and writes it again.',
    });
  return manifest;
}

/** Of a tree at an origin only packages.json and the announcement say which names are private. */
function unannounced(
  indexed: readonly PackageName[],
  names: readonly PackageName[],
  publication: Publication | undefined,
): readonly Fault[] {
  if (publication?.withdrawn === undefined) return [];
  const announced = new Set([...names, ...publication.withdrawn]);
  return indexed
    .filter((name) => !announced.has(name))
    .map((name) => ({
      code: 'MALFORMED_INDEX',
      path: `index/${publicationPath}`,
      name,
      message: `It does not say that ${name} was published once and is withdrawn. ${repairByComparing}`,
    }));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
