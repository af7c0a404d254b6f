// The files of one package at one commit for its archive: the files of `git archive`, without those that composer.json
// or the publication rules exclude. The package is the whole repository or a folder of it. No files are checked out.

import { maxAttributesBytes, tooManyAttributes, type AttributeFile } from '../../archive/rules/attribute-lookup.ts';
import { checkFileTree, quoteName, unsafeLinks } from '../../archive/safe-paths.ts';
import { selectFiles } from '../../archive/select.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { ContentFile, ContentListing } from '../../archive/content.ts';
import { ancestorsOf, below, findFolder } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { TreeEntry } from './objects.ts';

// Lists all files of a git tree with their full paths. Folders are read level by level, each distinct folder once
// (object-store.ts caches them).

/**
 * More files or folders than a package can sensibly have; a few folders that hold one another many times over could
 * name billions.
 */
const maxEntries = 50_000;
const maxPathLength = 4096;

interface TreeListing {
  readonly files: readonly ContentFile[];
  /** paths whose bytes are not UTF-8: shown with replacement characters, and never published */
  readonly undecodable: ReadonlySet<string>;
}

interface Folder {
  /** empty, or with a slash at its end */
  readonly prefix: string;
  readonly utf8: boolean;
  readonly entries: readonly TreeEntry[];
}

/** Throws QuarantineError. Submodules are left out, as `git archive` leaves them empty. */
export async function listTree(store: ObjectStore, rootOid: string): Promise<TreeListing> {
  const files: ContentFile[] = [];
  const undecodable = new Set<string>();
  let level: readonly Folder[] = [{ prefix: '', utf8: true, entries: await store.tree(rootOid) }];
  let folders = 0;
  while (level.length > 0) {
    for (const folder of level) takeFiles(folder, files, undecodable);
    folders += level.length;
    const below = level.flatMap(({ prefix, utf8, entries }) =>
      entries.flatMap((entry) =>
        entry.kind === 'tree' ? [{ path: prefix + entry.name, utf8: utf8 && entry.utf8, oid: entry.oid }] : [],
      ),
    );
    if (files.length > maxEntries || folders + below.length > maxEntries) {
      throw new QuarantineError(
        'UNSAFE_PATH',
        `The repository contains more than ${maxEntries} files and folders, the maximum for a package.`,
      );
    }
    level = await Promise.all(
      below.map(async ({ path, utf8, oid }) => ({
        prefix: `${checkLength(path)}/`,
        utf8,
        entries: await store.tree(oid),
      })),
    );
  }
  return { files, undecodable };
}

function takeFiles(folder: Folder, files: ContentFile[], undecodable: Set<string>): void {
  for (const entry of folder.entries) {
    if (entry.kind === 'tree' || entry.kind === 'submodule') continue;
    const path = folder.prefix + entry.name;
    files.push({ path, mode: entry.kind, identity: entry.oid });
    if (!folder.utf8 || !entry.utf8) undecodable.add(path);
  }
}

function checkLength(path: string): string {
  if (path.length <= maxPathLength) return path;
  throw new QuarantineError(
    'UNSAFE_PATH',
    `The path ${path.slice(0, 80)}… is longer than ${maxPathLength} characters.`,
  );
}

export interface PackagePlace {
  readonly commit: string;
  /** '' is the repository's root, else like `packages/a` */
  readonly folder: string;
}

export interface CommitFiles extends ContentListing {
  /** paths are below the package's folder; identities are the blobs' ids */
  readonly files: readonly ContentFile[];
  /** all files that may set their attributes; folders are relative to the repository's root */
  readonly attributes: readonly AttributeFile[];
}

/** PATH_MAX */
const maxTargetBytes = 4096;

/** `excludes`: as composer.json's archive.exclude. Throws QuarantineError. */
export async function listPackageFiles(
  store: ObjectStore,
  { commit, folder }: PackagePlace,
  excludes: readonly string[],
): Promise<CommitFiles> {
  const { tree } = await store.commit(commit);
  const root = await findFolder(store, tree, folder);
  if (root === undefined)
    throw new QuarantineError('BROKEN_OBJECT', `The folder ${folder} was there a moment ago and is no longer.`);
  const { files, undecodable } = await listTree(store, root);
  const attributes = await readAttributes(store, [
    ...(await attributesAbove(store, tree, folder)),
    ...attributesWithin(files, folder),
  ]);
  const selected = await selectFiles(files, { attributes, excludes, folder, mayLackComposerJson: true });
  const paths = selected.files.map((file) => file.path);
  const undecodablePath = undecodable.size === 0 ? undefined : paths.find((path) => undecodable.has(path));
  if (undecodablePath !== undefined)
    throw new QuarantineError(
      'UNSAFE_PATH',
      `The path ${quoteName(undecodablePath)} is not valid UTF-8. Rename the file or exclude it.`,
    );
  if (!selected.files.some(({ mode }) => mode === 'symlink')) return { ...selected, attributes };
  checkFileTree(paths);
  const unsafe = unsafeLinks(await readLinks(store, selected.files));
  const kept = selected.files.filter(({ path }) => !unsafe.has(path));
  return { ...selected, files: kept, unsafeLinks: [...unsafe.values()], attributes };
}

interface AttributesBlob {
  readonly directory: string;
  readonly oid: string;
}

/** Like git, it finds only files in the tree, and a symlink is no attributes file (gitattributes(5)). */
function attributesWithin(files: readonly ContentFile[], folder: string): AttributesBlob[] {
  const found = files.filter(
    ({ path, mode }) => mode !== 'symlink' && (path === '.gitattributes' || path.endsWith('/.gitattributes')),
  );
  return found.map((file) => ({
    directory: below(folder, file.path.slice(0, Math.max(0, file.path.length - '/.gitattributes'.length))),
    oid: oidOf(file),
  }));
}

async function attributesAbove(store: ObjectStore, tree: string, folder: string): Promise<AttributesBlob[]> {
  const found: AttributesBlob[] = [];
  for (const directory of ancestorsOf(folder)) {
    const oid = await findFolder(store, tree, directory);
    const entry =
      oid === undefined
        ? undefined
        : (await store.tree(oid)).find(
            ({ name, kind }) => name === '.gitattributes' && (kind === 'file' || kind === 'executable'),
          );
    if (entry !== undefined) found.push({ directory, oid: entry.oid });
  }
  return found;
}

/** One after the other, so that few are in memory when they are too large together. */
async function readAttributes(store: ObjectStore, found: readonly AttributesBlob[]): Promise<AttributeFile[]> {
  const read: AttributeFile[] = [];
  let left = maxAttributesBytes;
  for (const { directory, oid } of found) {
    const path = below(directory, '.gitattributes');
    const bytes = await store.sharedBlob(oid, maxAttributesBytes, path);
    if (bytes === undefined || bytes.length > left) throw tooManyAttributes(path);
    left -= bytes.length;
    read.push({ directory, text: bytes.toString('utf8') });
  }
  return read;
}

async function readLinks(store: ObjectStore, files: readonly ContentFile[]): Promise<Map<string, string>> {
  const links = files.filter(({ mode }) => mode === 'symlink');
  const targets = await Promise.all(
    links.map(async (link) => {
      const bytes = await store.smallBlob(oidOf(link), maxTargetBytes, link.path);
      return [link.path, bytes?.toString('utf8') ?? ''] as const; // too long for a path, and so none
    }),
  );
  return new Map(targets);
}

/** The blob of a file that git does not convert. */
export function oidOf(file: ContentFile): string {
  return file.identity;
}
