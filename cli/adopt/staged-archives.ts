// The archives of another registry on their way here. Each has its final name once it was checked, so that a run after
// a kill finds it again; the name has the digest of its bytes, which are compared again then.

import { createHash, randomUUID } from 'node:crypto';
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveOnce } from '../../build/archive/archiver.ts';
import { readThrough, withOpenFile } from '../../build/archive/zip-admission/open-file.ts';
import { archiveReference } from '../../build/archive/zip-admission/ready-archive.ts';
import { parseReference, parseSha1, type Sha1 } from '../../build/contract/digest.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { PublicPath } from '../../build/contract/paths.ts';
import { makeFolder } from '../../build/output/make-folder.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import type { TreeVersion } from '../../build/receive/write-tree.ts';
import { ownFields } from '../../build/record/version-record.ts';
import { metapackageContent } from '../../build/sources/package/metapackage-content.ts';
import type { OfferedVersion } from '../../proxy/mirror/versions/offered-version.ts';
import type { RemoteRegistry, VersionWithDist } from './remote-registry.ts';

/** The checked archives of one package: the key of a version → the file. */
export type Staged = ReadonlyMap<string, StagedFile>;

interface StagedFile {
  readonly file: string;
  readonly shasum: Sha1;
  readonly size: number;
}

/** `isFetched`: its archive was fetched by this run. */
export type TakenVersion = TreeVersion & { readonly isFetched: boolean };

/** What an earlier run has checked. `folder`: of the tree. */
export async function stagedOf(folder: string, name: PackageName): Promise<Staged> {
  const own = join(folder, 'public/dist', name);
  const found = await readdir(own).catch((error: unknown) => (isMissing(error) ? [] : Promise.reject(error)));
  const staged = new Map<string, StagedFile>();
  for (const file of found) {
    const [, key = '', digest = ''] = /^([0-9a-f]{32})\.([0-9a-f]{40})\.zip$/.exec(file) ?? [];
    const shasum = parseSha1(digest);
    if (shasum !== undefined) staged.set(key, { file, shasum, size: (await stat(join(own, file))).size });
  }
  return staged;
}

/** Fetches the archive of a version, unless it is here. Rejects as `download` of the registry does. */
export async function takeArchive(
  folder: string,
  registry: Pick<RemoteRegistry, 'download'>,
  name: PackageName,
  offered: VersionWithDist,
  staged: Staged,
): Promise<TakenVersion> {
  const own = join(folder, 'public/dist', name);
  const here = staged.get(keyOf(offered));
  const isWhole = here !== undefined && (await digestOf('sha1', join(own, here.file))) === here.shasum;
  const { file, shasum, size } = isWhole ? here : await fetchArchive(own, registry, name, offered);
  const { version, normalized, record, dist } = offered;
  // one in another form is replaced by that of the bytes
  const reference = parseReference(dist.reference) ?? archiveReference(await digestOf('sha256', join(own, file)));
  const path = `dist/${name}/${file}` as PublicPath;
  const isFetched = !isWhole && hasOwnArchive(offered);
  return { version, normalized, record, reference, shasum, size, path, isFetched };
}

async function fetchArchive(
  own: string,
  registry: Pick<RemoteRegistry, 'download'>,
  name: PackageName,
  offered: VersionWithDist,
): Promise<StagedFile> {
  await makeFolder(own);
  const partial = join(own, `${randomUUID()}.partial`);
  const { shasum, size } = hasOwnArchive(offered)
    ? await registry.download(name, offered, partial)
    : await archiveOnce(contentOf(offered.record).content, { topFolder: 'metapackage', target: partial });
  const file = `${keyOf(offered)}.${shasum}.zip`;
  await rename(partial, join(own, file));
  return { file, shasum, size };
}

/**
 * A metapackage has no archive, and Composer installs its requirements alone. Here it gets one with its composer.json,
 * and keeps the reference of its source.
 */
export function withArchive(offered: OfferedVersion): VersionWithDist {
  const { dist, record } = offered;
  if (dist !== undefined) return { ...offered, dist };
  const { source } = record;
  const stated = isJsonObject(source) ? parseReference(String(source['reference'])) : undefined;
  const reference = stated ?? archiveReference(contentOf(record).sha256);
  return { ...offered, dist: { url: '', reference, shasum: undefined } };
}

/** false: it is made here. */
export function hasOwnArchive({ dist }: VersionWithDist): boolean {
  return dist.url !== '';
}

function contentOf(record: JsonObject) {
  return metapackageContent({ name: record['name'] ?? null, ...ownFields(record) });
}

/** Of a version with this label, reference and checksum, at this address. */
export function keyOf({ version, dist: { reference, shasum, url } }: VersionWithDist): string {
  const facts = JSON.stringify([version, reference, shasum ?? '', url]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}

async function digestOf(algorithm: 'sha1' | 'sha256', path: string): Promise<string> {
  const hash = createHash(algorithm);
  await withOpenFile(path, (descriptor, { size }) => readThrough(descriptor, size, (piece) => void hash.update(piece)));
  return hash.digest('hex');
}
