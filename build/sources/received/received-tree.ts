// Reads a tree that was built elsewhere: every file that it names exists and agrees with the others, or the whole tree
// is refused. This reader checks only the sizes of archives; the copy proves the SHA-1 of each.

import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { missingRows } from '../../contract/announced-lists.ts';
import { isAsWritten } from '../../contract/checksum.ts';
import type { VersionRecord } from '../../contract/documents.ts';
import { isJsonObject } from '../../contract/json.ts';
import { parsePackageName, type PackageName } from '../../contract/name.ts';
import { indexPath, providerPath, publicationPath, rootDocumentPath } from '../../contract/paths.ts';
import { parsePublication } from '../../contract/publication.ts';
import { parsePurged, purgedPath, type PurgedVersion } from '../../contract/purged.ts';
import { parseQuarantined, quarantinedPath } from '../../contract/quarantined.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../../contract/serving-index.ts';
import { statNamed } from '../../shared/files/named-path.ts';
import { digestOf } from '../../shared/text/digest-of.ts';
import { parseProvider } from '../../documents/documents.ts';
import { BuildRefused } from '../../contract/refusals.ts';
import type { Quarantine, QuarantineCode } from '../../contract/quarantine.ts';
import { incomplete, parseTreeFile, pathInTree, readTreeFile } from './tree-file.ts';

export interface ReceivedVersion {
  readonly entry: IndexEntry;
  readonly record: VersionRecord;
}

export type MayLack = (entry: IndexEntry) => boolean;

export interface ReceivedTree {
  /** the path without symlinks */
  readonly root: string;
  readonly names: readonly PackageName[];
  /** the versions that the original build omitted, with the reasons */
  readonly quarantined: readonly Quarantine[];
  /**
   * All published versions of one of `names`. `mayLack`: the tree may be without the archive. Throws BuildRefused.
   */
  readonly versionsOf: (name: PackageName, mayLack?: MayLack) => Promise<readonly ReceivedVersion[]>;
}

/**
 * `folder`, absolute, has public/ and index/; other entries are ignored. Throws BuildRefused for an incomplete tree.
 */
export async function openReceivedTree(folder: string): Promise<ReceivedTree> {
  const root = rootOf(folder);
  const head = join('index', publicationPath);
  const rootPath = join('public', rootDocumentPath);
  const announced = (await readTreeFile(root, head)).toString('utf8');
  const publication = parseTreeFile(root, head, () => parsePublication(announced));
  const packagesJson = (await readTreeFile(root, rootPath)).toString('utf8');
  if (digestOf(packagesJson) !== publication.root.sha256)
    throw incomplete(root, rootPath, `is not the one that index/${publicationPath} announces`);
  const names = parseTreeFile(root, rootPath, () => parseNames(packagesJson));
  return {
    root,
    names,
    quarantined: await readQuarantined(root),
    versionsOf: (name, mayLack = () => false) => readVersions(root, name, mayLack),
  };
}

function rootOf(folder: string): string {
  const found = statNamed(folder);
  if (found?.isDirectory() !== true)
    throw new BuildRefused(
      `${folder} ${found === undefined ? 'does not exist' : 'is no folder and no bundle'}. Name the folder with public/ and index/ of the build, or a bundle.`,
    );
  return realpathSync(folder);
}

function parseNames(text: string): readonly PackageName[] {
  const json: unknown = JSON.parse(text);
  const list = isJsonObject(json) ? json['available-packages'] : undefined;
  if (!Array.isArray(list)) throw new Error('it has no list of available-packages');
  return list.map((written: unknown) => {
    const name = typeof written === 'string' ? parsePackageName(written) : undefined;
    if (name === undefined) throw new Error('it lists what is no package name');
    return name;
  });
}

/** The purged versions of the original registry. `folder` as for `openReceivedTree`. Throws BuildRefused. */
export async function readReceivedTombstones(folder: string): Promise<readonly PurgedVersion[]> {
  const [root, path, head] = [rootOf(folder), join('index', purgedPath), join('index', publicationPath)];
  const rows = await readList(root, path, (text) => {
    const parsed = parsePurged(text);
    if (!isAsWritten(text)) throw new Error('its checksum is wrong');
    return parsed;
  });
  const announced = (await readTreeFile(root, head)).toString('utf8');
  const missing = missingRows(parseTreeFile(root, head, () => parsePublication(announced)).purged ?? [], rows);
  if (missing.length > 0) throw incomplete(root, path, `lacks tombstones that index/${publicationPath} announces`);
  return rows;
}

async function readQuarantined(root: string): Promise<readonly Quarantine[]> {
  const rows = await readList(root, join('index', quarantinedPath), parseQuarantined);
  return rows.map(({ code, message, where, name, version }) => ({
    code: code as QuarantineCode,
    message,
    where,
    name,
    version,
  }));
}

/** A tree without the list has no rows. */
async function readList<Row>(
  root: string,
  path: string,
  parse: (text: string) => readonly Row[],
): Promise<readonly Row[]> {
  if (statSync(join(root, path), { throwIfNoEntry: false }) === undefined) return [];
  const text = (await readTreeFile(root, path)).toString('utf8');
  return parseTreeFile(root, path, () => parse(text));
}

async function readVersions(root: string, name: PackageName, mayLack: MayLack): Promise<readonly ReceivedVersion[]> {
  const path = join('index', indexPath(name));
  const text = (await readTreeFile(root, path)).toString('utf8');
  const index = parseTreeFile(root, path, () => parsePackageIndex(text));
  if (index.name !== name) throw incomplete(root, path, `is that of ${index.name}`);
  const records = new Map(
    [...(await readRecords(root, index, 'stable')), ...(await readRecords(root, index, 'dev'))].map((record) => [
      record.version,
      record,
    ]),
  );
  const published = index.versions.filter(({ state }) => state === 'published');
  if (published.length !== records.size)
    throw incomplete(root, path, 'does not have the versions that its documents have');
  return published.map((entry) => {
    const record = records.get(entry.version);
    if (
      record?.name !== name ||
      record.version_normalized !== entry.version_normalized ||
      record.dist?.reference !== entry.reference
    )
      throw incomplete(
        root,
        path,
        `does not agree with the documents of ${name} on version ${JSON.stringify(entry.version)}`,
      );
    if (!mayLack(entry)) checkSize(root, join('public', entry.path), entry.size);
    return { entry, record };
  });
}

/** The records of one document, whose digest the index has. */
async function readRecords(
  root: string,
  { name, documents }: PackageIndex,
  kind: 'stable' | 'dev',
): Promise<readonly VersionRecord[]> {
  const sha256 = documents[kind]?.sha256 ?? null;
  if (sha256 === null) return [];
  const path = join('public', providerPath(name, kind));
  const text = (await readTreeFile(root, path)).toString('utf8');
  if (digestOf(text) !== sha256) throw incomplete(root, path, `is not the one that index/${indexPath(name)} names`);
  return parseTreeFile(root, path, () => parseProvider(text, name));
}

function checkSize(root: string, path: string, size: number): void {
  const found = statSync(pathInTree(root, path));
  if (!found.isFile()) throw incomplete(root, path, 'is no file');
  if (found.size !== size) throw incomplete(root, path, `has ${found.size} bytes instead of ${size}`);
}
