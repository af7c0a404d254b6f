// Re-reads a tree and proves what is promised of it: I1 (what p2 names is there, with those bytes), I2 (every listed name has its document), I4 (nothing
// but the three public shapes is served), and that the serving index tells the truth. Writes nothing, needs no lock.

import { NewerFormat } from './contract/newer-format.ts';
import { publicationPath, providerPath, rootDocumentPath } from './contract/paths.ts';
import { parsePackageName, type PackageName } from './contract/name.ts';
import { isJsonObject } from './contract/json.ts';
import { parsePublication } from './contract/publication.ts';
import { manifestPath, readManifest, type Manifest } from './memory/manifest.ts';
import { readMemory } from './memory/source-memory.ts';
import { createDiskOutput } from './output/disk-output.ts';
import type { Output } from './output/output.ts';
import { BuildRefused } from './refusals.ts';
import { indexFault, type Fault } from './verify-fault.ts';
import { verifyPackage } from './verify-package.ts';

export interface VerifyReport {
  readonly ok: boolean;
  readonly checked: { readonly packages: number; readonly versions: number; readonly archives: number };
  readonly faults: readonly Fault[];
}

export async function verifyTree(dataDirectory: string): Promise<VerifyReport> {
  const output = createDiskOutput(dataDirectory);
  const faults: Fault[] = [];
  const names = await verifyRoot(output, faults);
  const manifest = await verifyMemory(output, faults);
  const files = new Set(await output.list('public', ''));
  const listed = new Set<string>(names);
  let versions = 0;
  const archives = new Set<string>();
  for (const name of new Set([...names, ...(await indexedNames(output))])) {
    const checked = await verifyPackage(output, name, listed.has(name));
    faults.push(...checked.faults);
    versions += checked.versions;
    for (const path of checked.archives) archives.add(path);
  }
  const known = new Set<string>([rootDocumentPath, ...(await underWay(output, manifest)), ...archives, ...names.flatMap((name) => [providerPath(name, 'stable'), providerPath(name, 'dev')])]);
  // what a damaged index or document would say of an archive is not known: the damage is the fault, not the archive
  const unsure = faults.flatMap(({ code, name }) => (name !== undefined && (code === 'MALFORMED_INDEX' || code === 'NEWER_FORMAT' || code === 'MALFORMED_DOCUMENT' || code === 'MISSING_FILE') ? [`dist/${name}/`] : []));
  for (const file of files) {
    if (unsure.some((folder) => file.startsWith(folder))) continue;
    if (!known.has(file) && !isPlainCopy(file, archives)) faults.push(foreign(file));
  }
  return { ok: faults.length === 0, checked: { packages: names.length, versions, archives: archives.size }, faults };
}

/** Archives of a publication that is under way or was cut off: no document names them yet, and the next build uses or removes them. */
async function underWay(output: Output, manifest: Manifest | undefined): Promise<readonly string[]> {
  const head = await output.read('index', publicationPath);
  return manifest === undefined || (head !== undefined && serialOf(head) === manifest.serial) ? [] : manifest.placing;
}

function serialOf(head: string): number | undefined {
  try {
    return parsePublication(head).serial;
  } catch {
    return undefined;
  }
}

/** `<version>.zip` beside `<version>@<reference>.zip`. */
function isPlainCopy(file: string, archives: ReadonlySet<string>): boolean {
  if (!file.startsWith('dist/') || !file.endsWith('.zip')) return false;
  const stem = `${file.slice(0, -'.zip'.length)}@`;
  for (const path of archives) if (path.startsWith(stem)) return true;
  return false;
}

function foreign(path: string): Fault {
  return { code: 'FOREIGN_FILE', path: `public/${path}`, message: 'No document and no serving index knows this file, yet it stands in the served tree. Remove it if it is not yours; a build never does.' };
}

async function verifyRoot(output: Output, faults: Fault[]): Promise<readonly PackageName[]> {
  const text = await output.read('public', rootDocumentPath);
  const head = await output.read('index', publicationPath);
  if (text === undefined) {
    faults.push({ code: 'MISSING_FILE', path: `public/${rootDocumentPath}`, message: 'There is no packages.json. Run `libretto build`.' });
    return [];
  }
  try {
    parsePublication(head ?? '');
  } catch (error) {
    faults.push(indexFault(error, { path: `index/${publicationPath}` }, 'The next build writes it again.'));
  }
  try {
    const json: unknown = JSON.parse(text);
    const list = isJsonObject(json) ? json['available-packages'] : undefined;
    if (!Array.isArray(list)) throw new Error('it has no list of available-packages');
    return list.map((name: unknown) => {
      const parsed = typeof name === 'string' ? parsePackageName(name) : undefined;
      if (parsed === undefined) throw new Error(`it lists ${JSON.stringify(name)}, which is not a package name`);
      return parsed;
    });
  } catch (error) {
    faults.push({ code: 'MALFORMED_DOCUMENT', path: `public/${rootDocumentPath}`, message: `${describe(error)}. The next build writes it again.` });
    return [];
  }
}

/** The builder's own memory is a cache, and damage to it no fault; but that a newer version is at work here has to be known. */
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
    if (file.endsWith('.json')) await unlessNewer(file, () => readMemory(output, file.slice('sources/'.length, -'.json'.length)));
  }
  return unlessNewer(manifestPath, () => readManifest(output));
}

async function indexedNames(output: Output): Promise<readonly PackageName[]> {
  return (await output.list('index', '')).flatMap((file) => (file === publicationPath ? [] : (parsePackageName(file.replace(/\.json$/, '')) ?? [])));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
