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
import { readHistory, recordsSince } from '../history/read-history.ts';
import { retainedKey } from '../history/retained-archives.ts';
import { readManifest } from '../memory/manifest.ts';
import type { Output } from '../output/output.ts';
import { endTree, writeTreePackage } from '../receive/write-tree.ts';
import { isThere } from '../shared/files/atomic-file.ts';
import { openReceivedTree, type ReceivedVersion } from '../sources/received/received-tree.ts';
import { IncompleteTree } from '../sources/received/tree-file.ts';
import type { FileToBundle } from './write-bundle.ts';

type ChooseVersion<Answer = boolean> = (name: PackageName, entry: IndexEntry) => Answer;

export interface PublishedFilesOptions {
  /** the data folder, absolute */
  readonly data: string;
  readonly output: Output;
  /** the versions that the bundle takes; undefined: the whole tree */
  readonly wants: ChooseVersion<boolean | Promise<boolean>> | undefined;
  /** the serial of an earlier publication, whose archives are left out; undefined: none */
  readonly since: number | undefined;
  /** a new folder, for the documents of some versions */
  readonly folder: string;
}

export interface PublishedFiles {
  readonly serial: number;
  readonly files: readonly FileToBundle[];
}

/** Call it with the lock of builds. Throws BuildRefused, also for a publication that a kill has interrupted. */
export async function publishedFiles(options: PublishedFilesOptions): Promise<PublishedFiles> {
  const { data, output, wants } = options;
  const publication = await wholePublication(output);
  const isNew = await newVersions(output, options.since);
  const files: FileToBundle[] = [];
  const take = (folder: string, paths: readonly string[]): unknown =>
    files.push(
      ...paths.filter((path) => isThere(join(folder, path))).map((path) => ({ path, from: join(folder, path) })),
    );
  try {
    const tree = await openReceivedTree(data);
    const [names, dates]: [PackageName[], Date[]] = [[], [new Date(0)]];
    for (const name of tree.names) {
      const versions: ReceivedVersion[] = [];
      for (const one of await tree.versionsOf(name, () => true))
        // `archiveFile` looks where each archive is
        if ((await wants?.(name, one.entry)) !== false) versions.push(one);
      for (const { entry } of versions) if (isNew(name, entry)) files.push(await archiveFile(output, entry));
      if (wants === undefined) take(data, [...documentsOf(name), ...textsOf(name, versions)]);
      else if (versions.length > 0) {
        names.push(name);
        dates.push(newest(versions.map(({ entry }) => new Date(entry.since))));
        await writeTreePackage(options.folder, name, versions.map(treeVersion), dates.at(-1) ?? newest(dates));
        take(options.folder, documentsOf(name));
      }
    }
    if (wants !== undefined) await endTree(options.folder, names, newest(dates));
    take(wants === undefined ? data : options.folder, lists);
    const serial = wants === undefined ? publication.serial : await serialAt(output, newest(dates));
    return { serial: Math.max(serial, options.since ?? 0), files };
  } catch (error) {
    throw error instanceof IncompleteTree ? damaged(error.fault) : error;
  }
}

function newest(dates: readonly Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}

/**
 * The publication with a change of this date, which is the time when the build wrote it down: later ones have changed
 * none of the versions, and leave no trace (I14).
 */
async function serialAt(output: Output, date: Date): Promise<number> {
  const newestFirst = await readHistory(output);
  return (newestFirst.findLast((one) => Date.parse(one.published_at) >= date.getTime()) ?? newestFirst[0])?.serial ?? 0;
}

const lists = [
  `public/${rootDocumentPath}`,
  ...[publicationPath, purgedPath, quarantinedPath].map((path) => `index/${path}`),
];

function damaged(fault: string): BuildRefused {
  return new BuildRefused(`No bundle was made: ${fault}. Run \`libretto verify\`: it names the damage and the repair.`);
}

async function wholePublication(output: Output): Promise<Publication> {
  const text = await output.read('index', publicationPath);
  if (text === undefined) throw new BuildRefused('Nothing was published yet, so there is nothing to bundle.');
  const publication = parsePublication(text);
  if (((await readManifest(output))?.serial ?? 0) > publication.serial)
    throw new BuildRefused(
      'The last publication was interrupted. Complete it with `libretto build`, then bundle again.',
    );
  return publication;
}

/** Throws BuildRefused if the history does not reach back to that publication. */
async function newVersions(output: Output, since: number | undefined): Promise<ChooseVersion> {
  if (since === undefined) return () => true;
  const changes = (await recordsSince(output, since)).flatMap(({ packages }) => packages);
  const keys = new Set(
    changes.flatMap(({ name, added, changed }) => [...added, ...changed].map((one) => retainedKey(name, one))),
  );
  return (name, entry) => keys.has(retainedKey(name, entry));
}

async function archiveFile(output: Output, { path, size }: IndexEntry): Promise<FileToBundle> {
  const from = await output.locate(path);
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.size !== size) throw damaged(`public/${path} ${found === undefined ? 'is missing' : 'has another size'}`);
  return { path: `public/${path}`, from };
}

function documentsOf(name: PackageName): readonly string[] {
  const documents = (['stable', 'dev'] as const).map((kind) => `public/${providerPath(name, kind)}`);
  return [`index/${indexPath(name)}`, ...documents];
}

/** The READMEs and CHANGELOGs, each once. */
function textsOf(name: PackageName, versions: readonly ReceivedVersion[]): readonly string[] {
  const digests = versions.flatMap(({ entry }) => [entry.readme ?? [], entry.changelog ?? []].flat());
  return [...new Set(digests)].map((digest) => `index/${textPath(name, digest)}`);
}

function treeVersion({ entry, record }: ReceivedVersion) {
  const { version, version_normalized: normalized, reference, shasum, size, path, branch, signed_by } = entry;
  const facts = { ...(branch === undefined ? {} : { branch }), ...(signed_by === undefined ? {} : { signed_by }) };
  return { version, normalized: normalized as NormalizedVersion, record, reference, shasum, size, path, facts };
}
