// Writes packages in the form of a tree that `receive` reads. Their archives lie below public/dist of that tree
// already, under any name. The list of packages comes last, so that a tree without its end is incomplete.

import { join } from 'node:path';
import type { Reference, Sha1 } from '../contract/digest.ts';
import type { VersionRecord } from '../contract/documents.ts';
import { isJsonObject, type JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { indexPath, providerPath, publicationPath, rootDocumentPath, type PublicPath } from '../contract/paths.ts';
import { formatPublication, publicationFormat } from '../contract/publication.ts';
import { formatPackageIndex, servingIndexFormat, type IndexEntry } from '../contract/serving-index.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { formatProviders } from '../documents/documents.ts';
import { firstPublished } from '../documents/published-time.ts';
import { makeFolder } from '../output/make-folder.ts';
import { releaseTimeOf } from '../record/release-time.ts';
import { replaceFile } from '../shared/files/atomic-file.ts';
import { digestOf } from '../shared/text/digest-of.ts';

export interface TreeVersion {
  readonly version: string;
  readonly normalized: NormalizedVersion;
  /** as another registry has it */
  readonly record: JsonObject;
  readonly reference: Reference;
  readonly shasum: Sha1;
  readonly size: number;
  /** of its archive, below public/dist/<name>/ */
  readonly path: PublicPath;
  /** of the entry that another registry of ours has */
  readonly facts?: Pick<IndexEntry, 'branch' | 'signed_by'>;
}

/** The documents and the index of one package, with all its versions. `folder`: of the tree. */
export async function writeTreePackage(
  folder: string,
  name: PackageName,
  versions: readonly TreeVersion[],
  now: Date,
): Promise<void> {
  const rows = versions.map((version) => ({ record: recordOf(name, version), entry: entryOf(version, now) }));
  const { stable, dev } = formatProviders(name, rows);
  const stamp = (text: string) => ({ last_modified: epochSeconds(now), sha256: digestOf(text) });
  const index = formatPackageIndex({
    format: servingIndexFormat,
    name,
    documents: { stable: stamp(stable), dev: dev === undefined ? null : stamp(dev) },
    versions: rows.map(({ entry }) => entry),
  });
  await write(folder, join('public', providerPath(name, 'stable')), stable);
  if (dev !== undefined) await write(folder, join('public', providerPath(name, 'dev')), dev);
  await write(folder, join('index', indexPath(name)), index);
}

/** The list of the packages that were written, and the announcement of the tree. */
export async function endTree(folder: string, names: readonly PackageName[], now: Date): Promise<void> {
  const root = JSON.stringify({ 'available-packages': names });
  await write(folder, join('public', rootDocumentPath), root);
  const publication = formatPublication({
    format: publicationFormat,
    serial: 1,
    published_at: now.toISOString(),
    root: { last_modified: epochSeconds(now), sha256: digestOf(root) },
    sources: [],
  });
  await write(folder, join('index', publicationPath), publication);
}

function entryOf(one: TreeVersion, now: Date): IndexEntry {
  const { version, normalized, record, reference, shasum, size, path, facts } = one;
  return {
    ...facts,
    version,
    version_normalized: normalized,
    reference,
    shasum,
    size,
    time: releaseTimeOf(record['time']) ?? null,
    path,
    state: 'published',
    since: now.toISOString(),
    ...firstPublished(record['published-time'], now),
    source: 'adopted',
  };
}

/** A `source` stays only if it has the reference of the archive: a record has one reference here. */
function recordOf(name: PackageName, { version, normalized, record, reference, shasum, path }: TreeVersion) {
  const { source, ...others } = record;
  const isSame = isJsonObject(source) && source['type'] === 'git' && source['reference'] === reference;
  return {
    ...others,
    ...(isSame ? { source: source as VersionRecord['source'] & JsonObject } : {}),
    name,
    version,
    version_normalized: normalized,
    dist: { type: 'zip', url: `/${path}`, reference, shasum },
  } as VersionRecord;
}

async function write(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path);
  await makeFolder(join(target, '..'));
  await replaceFile(target, [text]);
}

function epochSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1000);
}
