// The published files that a bundle takes: the documents of the whole tree, or of some versions, and their archives.
// Versions that are not published any more are not in a bundle.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageName } from '../contract/name.ts';
import { textPath } from '../contract/package-texts.ts';
import { indexPath, providerPath, publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { parsePublication, type Publication } from '../contract/publication.ts';
import { purgedPath } from '../contract/purged.ts';
import { quarantinedPath } from '../contract/quarantined.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { readPublicationRecord } from '../history/record.ts';
import { recordsSince } from '../history/read-history.ts';
import { retainedKey } from '../history/retained-archives.ts';
import { readManifest } from '../memory/manifest.ts';
import type { Output } from '../output/output.ts';
import { endTree, writeTreePackage } from '../receive/write-tree.ts';
import { isThere } from '../shared/files/atomic-file.ts';
import { openReceivedTree, type ReceivedVersion } from '../sources/received/received-tree.ts';
import { IncompleteTree } from '../sources/received/tree-file.ts';
import type { BundleMoment } from './bundle-format.ts';
import type { FileToBundle } from './write-bundle.ts';

/** True for a version that the bundle takes. */
export type Wants = (name: PackageName, entry: IndexEntry) => boolean;

export interface PublishedFilesOptions {
  /** the data folder, absolute */
  readonly data: string;
  readonly output: Output;
  /** undefined: the whole tree */
  readonly wants: Wants | undefined;
  /** the serial of an earlier publication; archives that it had are left out. undefined: none */
  readonly since: number | undefined;
  /** a new folder, for the documents of some versions */
  readonly folder: string;
}

export interface PublishedFiles extends BundleMoment {
  readonly since: BundleMoment | null;
  readonly files: readonly FileToBundle[];
}

/** Call it with the lock of builds. Throws BuildRefused, also for a publication that a kill has interrupted. */
export async function publishedFiles(options: PublishedFilesOptions): Promise<PublishedFiles> {
  const { data, output } = options;
  const publication = await wholePublication(output);
  const since = options.since === undefined ? undefined : await earlier(output, options.since);
  try {
    const tree = await openReceivedTree(data);
    const archives: FileToBundle[] = [];
    const documents: string[] = [];
    const names: PackageName[] = [];
    for (const name of tree.names) {
      const all = await tree.versionsOf(name, () => true); // where each archive is, and its size, is checked below
      const chosen = all.filter(({ entry }) => options.wants?.(name, entry) ?? true);
      if (chosen.length > 0) names.push(name);
      for (const { entry } of chosen)
        if (since?.isNew(name, entry) ?? true) archives.push(await archiveFile(output, entry));
      if (options.wants === undefined) documents.push(...documentsOf(data, name, chosen));
      else if (chosen.length > 0) await writeSome(options.folder, name, chosen, publication);
    }
    const { serial, published_at } = publication;
    const listed =
      options.wants === undefined
        ? [...documents, ...listsOf(data)].map((path) => ({ path, from: join(data, path) }))
        : await someFiles(options.folder, names, publication);
    return { serial, published_at, since: since?.moment ?? null, files: [...listed, ...archives] };
  } catch (error) {
    throw error instanceof IncompleteTree ? damaged(error.fault) : error;
  }
}

function damaged(fault: string): BuildRefused {
  return new BuildRefused(`No bundle was made: ${fault}. Run \`libretto verify\`: it names the damage and the repair.`);
}

async function wholePublication(output: Output): Promise<Publication> {
  const text = await output.read('index', publicationPath);
  if (text === undefined) throw new BuildRefused('Nothing was published yet, so there is nothing to bundle.');
  const publication = parsePublication(text);
  const begun = await readManifest(output);
  if (begun !== undefined && begun.serial > publication.serial)
    throw new BuildRefused(
      'The last publication was interrupted. Complete it with `libretto build`, then bundle again.',
    );
  return publication;
}

/** Throws BuildRefused if the history does not reach back to that publication. */
async function earlier(output: Output, serial: number) {
  const records = await recordsSince(output, serial);
  const base = await readPublicationRecord(output, serial);
  if (base === undefined)
    throw new BuildRefused(
      `Publication ${serial} is no longer recorded. Choose one of \`libretto history list\`, or leave --since out.`,
    );
  const later = records.flatMap(({ packages }) =>
    packages.flatMap(({ name, added, changed }) => [...added, ...changed].map((one) => retainedKey(name, one))),
  );
  const keys = new Set(later);
  return {
    moment: { serial, published_at: base.published_at },
    isNew: (name: PackageName, entry: IndexEntry) => keys.has(retainedKey(name, entry)),
  };
}

async function archiveFile(output: Output, { path, size }: IndexEntry): Promise<FileToBundle> {
  const from = await output.locate(path);
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.size !== size) throw damaged(`public/${path} ${found === undefined ? 'is missing' : 'has another size'}`);
  return { path: `public/${path}`, from };
}

function documentsOf(data: string, name: PackageName, versions: readonly ReceivedVersion[]): readonly string[] {
  const texts = versions.flatMap(({ entry: { readme, changelog } }) =>
    [readme, changelog].flatMap((digest) => (digest === undefined ? [] : [`index/${textPath(name, digest)}`])),
  );
  const providers = (['stable', 'dev'] as const).map((kind) => `public/${providerPath(name, kind)}`);
  return [`index/${indexPath(name)}`, ...[...new Set(texts), ...providers].filter((path) => isThere(join(data, path)))];
}

function listsOf(data: string): readonly string[] {
  const some = [purgedPath, quarantinedPath].map((path) => `index/${path}`).filter((path) => isThere(join(data, path)));
  return [`public/${rootDocumentPath}`, `index/${publicationPath}`, ...some];
}

async function writeSome(
  folder: string,
  name: PackageName,
  versions: readonly ReceivedVersion[],
  { published_at: publishedAt }: Publication,
): Promise<void> {
  const rows = versions.map(({ entry, record }) => ({
    version: entry.version,
    normalized: entry.version_normalized as NormalizedVersion,
    record,
    reference: entry.reference,
    shasum: entry.shasum,
    size: entry.size,
    path: entry.path,
    facts: {
      ...(entry.branch === undefined ? {} : { branch: entry.branch }),
      ...(entry.signed_by === undefined ? {} : { signed_by: entry.signed_by }),
    },
  }));
  await writeTreePackage(folder, name, rows, new Date(publishedAt));
}

async function someFiles(
  folder: string,
  names: readonly PackageName[],
  { published_at: publishedAt }: Publication,
): Promise<readonly FileToBundle[]> {
  await endTree(folder, names, new Date(publishedAt));
  const paths = names.flatMap((name) => documentsOf(folder, name, []));
  return [...paths, ...listsOf(folder)].map((path) => ({ path, from: join(folder, path) }));
}
