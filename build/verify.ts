// Re-reads a tree and proves what is promised of it: I1 (what p2 names is there, with those bytes), I2 (every listed name has its document), I4 (nothing
// but the three public shapes is served), and that the serving index tells the truth. Writes nothing, needs no lock.

import { publicationPath, providerPath, rootDocumentPath } from './contract/paths.ts';
import { parsePackageName, type PackageName } from './contract/name.ts';
import { isJsonObject } from './contract/json.ts';
import { parsePublication } from './contract/publication.ts';
import { readManifest } from './memory/manifest.ts';
import { createDiskOutput } from './output/disk-output.ts';
import type { Output } from './output/output.ts';
import { verifyPackage } from './verify-package.ts';

export type FaultCode =
  | 'MISSING_FILE'
  | 'MALFORMED_DOCUMENT'
  | 'MALFORMED_INDEX'
  | 'WRONG_BYTES'
  | 'BAD_ARCHIVE'
  | 'WRONG_PACKAGE'
  | 'NOT_INDEXED'
  | 'FOREIGN_FILE';

export interface Fault {
  readonly code: FaultCode;
  /** below the data folder */
  readonly path: string;
  readonly name?: string;
  readonly version?: string;
  /** what is wrong and what repairs it */
  readonly message: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly checked: { readonly packages: number; readonly versions: number; readonly archives: number };
  readonly faults: readonly Fault[];
}

export async function verifyTree(dataDirectory: string): Promise<VerifyReport> {
  const output = createDiskOutput(dataDirectory);
  const faults: Fault[] = [];
  const names = await verifyRoot(output, faults);
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
  const known = new Set<string>([rootDocumentPath, ...(await underWay(output)), ...archives, ...names.flatMap((name) => [providerPath(name, 'stable'), providerPath(name, 'dev')])]);
  // what a damaged index or document would say of an archive is not known: the damage is the fault, not the archive
  const unsure = faults.flatMap(({ code, name }) => (name !== undefined && (code === 'MALFORMED_INDEX' || code === 'MALFORMED_DOCUMENT' || code === 'MISSING_FILE') ? [`dist/${name}/`] : []));
  for (const file of files) {
    if (unsure.some((folder) => file.startsWith(folder))) continue;
    if (!known.has(file) && !isPlainCopy(file, archives)) faults.push(foreign(file));
  }
  return { ok: faults.length === 0, checked: { packages: names.length, versions, archives: archives.size }, faults };
}

/** Archives of a publication that is under way or was cut off: no document names them yet, and the next build uses or removes them. */
async function underWay(output: Output): Promise<readonly string[]> {
  const manifest = await readManifest(output);
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
    faults.push({ code: 'MALFORMED_INDEX', path: `index/${publicationPath}`, message: `${describe(error)}. The next build writes it again.` });
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

async function indexedNames(output: Output): Promise<readonly PackageName[]> {
  return (await output.list('index', '')).flatMap((file) => (file === publicationPath ? [] : (parsePackageName(file.replace(/\.json$/, '')) ?? [])));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
