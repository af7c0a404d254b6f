// The stored files of the mirror as a view sees them, without hidden versions and names, for a registry that has nothing
// else. An upstream that has several packages in one file gets them in packages.json. Sends no request.

import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { isDevVersion, normalizeVersion } from '../../build/contract/version.ts';
import { minifiedMark } from '../core/documents/minified.ts';
import { formatProviderDocument } from '../core/documents/provider-document.ts';
import { TextDocument } from '../core/http/document.ts';
import { passes, type View } from '../core/views/view.ts';
import { fileOf, readDocumentFile, writeDocumentFile } from './upstream/document-file.ts';
import { includeKey } from './upstream/included-packages.ts';
import { folderOf, storedDocument } from './upstream/stored-document.ts';
import { besideOf, nothingSaid } from './upstream/upstream-document.ts';
import { packagesIn, parseUpstreamRoot, type UpstreamRoot } from './upstream/upstream-root.ts';
import { datedByContent, releaseOf } from './viewed-mirror-documents.ts';
import { archiveKey } from './archives/archive-record.ts';
import { cutMark, type StoredFile } from './archives/stored-files.ts';

export interface Seeing {
  readonly view: View;
  /** packages.json of each upstream */
  readonly upstreams: readonly URL[];
  /** those that a name may come from; a private name has none */
  readonly upstreamsOf: (name: PackageName) => readonly URL[];
  /** false: a rule of the policy keeps the version from the token */
  readonly isOffered: (name: PackageName, record: JsonObject) => Promise<boolean>;
  /** for documents that are made */
  readonly folder: string;
}

/** True if the view sees this version of a mirrored package. */
export function seesMirrored(
  { view, upstreamsOf }: Pick<Seeing, 'view' | 'upstreamsOf'>,
  name: PackageName,
  record: JsonObject,
): boolean {
  const normalized = normalizeVersion(String(record['version']));
  return (
    normalized !== undefined &&
    upstreamsOf(name).length > 0 &&
    passes(view.filterOf(name), releaseOf({ ...record, version_normalized: normalized }))
  );
}

const keptKeys = ['metadata-url', 'metadata-changes-url', 'mirrors', 'security-advisories', 'filter'];

/** `stored`: all documents, and the archives that the view sees. `lacking`: `NAME VERSION` of each that is left out. */
export async function seenFiles(
  stored: readonly StoredFile[],
  view: Seeing,
): Promise<{ readonly files: readonly StoredFile[]; readonly lacking: ReadonlySet<string> }> {
  const [names, lacking, files] = [
    new Set<string>(),
    new Set<string>(),
    stored.filter(({ path }) => path.startsWith('dist/')),
  ];
  const archived = new Set(files.map(({ path }) => path));
  const isOffered: Seeing['isOffered'] = async (name, record) => {
    if (!(await view.isOffered(name, record))) return false;
    if (record['type'] === 'metapackage' || archived.has(recordPath(name, record))) return true;
    lacking.add(`${name} ${String(record['version'])}`); // nobody could install it
    return false;
  };
  const seeing = { ...view, isOffered };
  for (const { path } of files) names.add(path.split('/').slice(1, 3).join('/'));
  for (const url of seeing.upstreams) {
    const prefix = `p2/${folderOf(url)}/`;
    const below = stored.flatMap((file) =>
      file.path.startsWith(prefix) ? [{ ...file, path: file.path.slice(prefix.length) }] : [],
    );
    for (const file of await seenOf(below, url, seeing, names)) files.push({ ...file, path: prefix + file.path });
  }
  files.push(...stored.filter(({ path }) => names.has(/^lists\/(.+)\.json$/.exec(path)?.[1] ?? '')));
  return { files, lacking };
}

/** `stored`: the documents of one upstream. Adds the names that are seen to `names`. */
async function seenOf(
  stored: readonly StoredFile[],
  url: URL,
  seeing: Seeing,
  names: Set<string>,
): Promise<readonly StoredFile[]> {
  const files = new Map(stored.map((file) => [file.path, file]));
  const [head, json] = [files.get('packages.json'), await bodyOf(files.get('packages.json'))];
  if (head === undefined || json === undefined) return []; // nothing is served without it
  const root = parseUpstreamRoot(json, url);
  const [made, inPlace, listed]: [StoredFile[], Record<string, readonly JsonObject[]>, Set<string>] = [
    [],
    {},
    new Set(),
  ];
  const inFiles = await packagesOf(root, url, files);
  const documented = stored.map(({ path }) => /^p2\/(.+?)(?:~dev)?\.json$/.exec(path)?.[1] ?? '');
  for (const text of new Set([...documented, ...inFiles.keys()])) {
    const name = parsePackageName(text);
    if (name === undefined || !seeing.upstreamsOf(name).some(({ href }) => href === url.href)) continue;
    const documents = await documentsOf(name, files, seeing);
    const inFile = inFiles.get(name);
    const records = inFile === undefined ? documents.flatMap((one) => one.records) : await seenIn(inFile, name, seeing);
    if (records.length === 0) continue;
    listed.add(name);
    if (inFiles.has(name) || root.layout.kind !== 'metadata-url') inPlace[name] = records;
    else for (const document of documents) made.push(await fileFor(name, document, head, seeing));
  }
  for (const name of listed) names.add(name);
  const kept = Object.entries(json).filter(([key]) => keptKeys.includes(key));
  const cut = { ...Object.fromEntries(kept), packages: inPlace, 'available-packages': [...listed], [cutMark]: true };
  return listed.size === 0 ? [] : [...made, await make(head, Buffer.from(JSON.stringify(cut)), seeing)];
}

/** The versions that the token may install: policy hides a blocked one from it, too. */
async function seenIn(
  records: readonly JsonObject[],
  name: PackageName,
  seeing: Seeing,
): Promise<readonly JsonObject[]> {
  const seen: JsonObject[] = [];
  for (const record of records)
    if (seesMirrored(seeing, name, record) && (await seeing.isOffered(name, record))) seen.push(record);
  return seen;
}

function recordPath(name: PackageName, { version: label, dist }: JsonObject): string {
  const version = String(label);
  const normalized = normalizeVersion(version);
  const reference = isJsonObject(dist) && typeof dist['reference'] === 'string' ? dist['reference'] : '';
  if (normalized === undefined) return '';
  return `dist/${name}/${archiveKey({ version, normalized, dev: isDevVersion(normalized), reference })}.json`;
}

async function bodyOf(file: StoredFile | undefined): Promise<JsonObject | undefined> {
  const body = file && (await readDocumentFile(file.from))?.body;
  const json: unknown = body && JSON.parse(body.toString('utf8'));
  return isJsonObject(json) ? json : undefined;
}

/** The packages of packages.json and of the files that it includes. Those of packages.json take precedence. */
async function packagesOf(
  { layout, packages }: UpstreamRoot,
  url: URL,
  files: ReadonlyMap<string, StoredFile>,
): Promise<UpstreamRoot['packages']> {
  const all = new Map<string, readonly JsonObject[]>();
  const queue = new Map(layout.kind === 'packages' ? layout.includes.map((one) => [includeKey(one), one]) : []);
  for (const key of queue.keys()) {
    const { entries, includes } = packagesIn((await bodyOf(files.get(key))) ?? {}, url);
    for (const [name, records] of entries) all.set(name, [...(all.get(name) ?? []), ...records]);
    for (const one of includes) queue.set(includeKey(one), one);
  }
  return new Map([...all, ...[...packages].filter(([, records]) => records.length > 0)]);
}

interface SeenDocument {
  readonly path: string;
  /** undefined: there is none */
  readonly file: StoredFile | undefined;
  readonly lists: JsonObject;
  readonly records: readonly JsonObject[];
  readonly isCut: boolean;
}

/** The two documents of a package. */
function documentsOf(
  name: PackageName,
  files: ReadonlyMap<string, StoredFile>,
  seeing: Seeing,
): Promise<readonly SeenDocument[]> {
  return Promise.all(
    (['stable', 'dev'] as const).map(async (kind) => {
      const path = providerPath(name, kind);
      const file = files.get(path);
      const document = (file && (await storedDocument(file.from, name))) ?? nothingSaid;
      const records = await seenIn(document.versions, name, seeing);
      return { path, file, lists: besideOf(document), records, isCut: records.length < document.versions.length };
    }),
  );
}

/** A document without a version that is seen is a missing one. */
async function fileFor(
  name: PackageName,
  { path, file, lists, records, isCut }: SeenDocument,
  head: StoredFile,
  seeing: Seeing,
): Promise<StoredFile> {
  if (records.length === 0) return make({ ...head, ...file, path }, undefined, seeing);
  if (file !== undefined && !isCut && seeing.view.filterOf(name) === 'all') return file;
  const beside = { ...lists, minified: minifiedMark };
  return make({ ...head, ...file, path }, await formatProviderDocument(name, { records, beside }), seeing);
}

/** A document with these bytes: its date depends on them alone, and its next request gets the upstream's. */
async function make(file: StoredFile, body: Buffer | undefined, { view, folder }: Seeing): Promise<StoredFile> {
  const { digest, lastModifiedMs } = datedByContent(new TextDocument(body ?? Buffer.alloc(0), 0), view);
  const from = join(folder, `${digest}.json`);
  await writeDocumentFile(from, fileOf(body, { etag: undefined, lastModified: undefined }, lastModifiedMs));
  return { ...file, from };
}
