// The content of one version: its files (package-files.ts), and their bytes. git converts the bytes of a blob if
// attributes require it.

import { compileConversions, type Conversion } from '../../archive/rules/conversions.ts';
import type { JsonObject } from '../../contract/json.ts';
import { archiveExcludesOf } from '../../record/archive-excludes.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import {
  type Content,
  type ContentFile,
  type ContentListing,
  maxReadText,
  type ArchivedText,
  type PackageTexts,
} from '../../archive/content.ts';
import { mapYielding } from '../../shared/concurrency/yielding.ts';
import { archivedFiles, type ArchiveAccess } from './archived-files.ts';
import { below, findFolder } from './folders.ts';
import type { LfsPointers } from './lfs-pointers.ts';
import type { ObjectStore } from './object-store.ts';
import { listPackageFiles, oidOf, type PackagePlace } from './package-files.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { VisibleRef } from './scratch-repository.ts';
import { chooseTexts } from '../../contract/package-texts.ts';
import type { TreeEntry } from './objects.ts';

export interface GitContentOptions {
  readonly place: PackagePlace;
  /** the ref of the version */
  readonly ref: VisibleRef;
  readonly composerJson: () => Promise<JsonObject>;
  /** patterns in addition to composer.json's own */
  readonly extraExcludes: readonly string[];
  /** epoch seconds, the commit's */
  readonly entryTime: number;
  readonly readAhead: ReadAhead;
  readonly access: ArchiveAccess;
  readonly pointers: LfsPointers;
  /** for people */
  readonly where: string;
}

export function gitContent(store: ObjectStore, options: GitContentOptions): Content {
  /**
   * Files whose bytes depend on the commit: always requested together, since git resolves only one `%(describe)` an
   * archive.
   */
  let ofCommit: readonly string[] = [];
  return {
    mayNameAnother: true,
    entryTime: options.entryTime,
    list: async () => {
      const listed = await listContent(store, options);
      ofCommit = listed.ofCommit;
      return listed.listing;
    },
    texts: () => readTexts(store, options.place),
    read: (files) => readContent(store, options, files, ofCommit),
  };
}

async function listContent(
  store: ObjectStore,
  { place, ref, composerJson, extraExcludes, readAhead, pointers, where }: GitContentOptions,
): Promise<{ readonly listing: ContentListing; readonly ofCommit: readonly string[] }> {
  readAhead.around(place.commit);
  const { files, attributes, ...leftOut } = await listPackageFiles(store, place, [
    ...archiveExcludesOf(await composerJson()),
    ...extraExcludes,
  ]);
  await pointers.look({ where, folder: place.folder, files, attributes });
  const conversionOf = compileConversions(attributes);
  const ofCommit: string[] = [];
  const converted = await mapYielding(files, (file): ContentFile => {
    const path = below(place.folder, file.path);
    const conversion = file.mode === 'symlink' ? undefined : conversionOf(path);
    if (conversion === undefined) return file;
    if (conversion.ofCommit) ofCommit.push(path);
    return { ...file, identity: identityOf(oidOf(file), conversion, ref), changedBy: conversion.key };
  });
  return { listing: { ...leftOut, files: converted }, ofCommit };
}

/**
 * Two conversions have equal keys only if git makes the same bytes: from one blob by one rule, and for placeholders
 * from one commit under one name.
 */
function identityOf(oid: string, { key, ofCommit }: Conversion, ref: VisibleRef): string {
  return `git-converted:${oid} ${key}${ofCommit ? ` ${ref.commit} ${ref.oid} ${ref.name}` : ''}`;
}

const isBlob = ({ identity }: ContentFile): boolean => !identity.startsWith('git-converted:');

async function* readContent(
  store: ObjectStore,
  options: GitContentOptions,
  files: readonly ContentFile[],
  ofCommit: readonly string[],
): AsyncGenerator<Uint8Array> {
  const blobs = store.blobs(files.filter(isBlob).map((file) => ({ oid: oidOf(file), path: file.path })));
  if (files.every(isBlob)) {
    yield* blobs;
    return;
  }
  const converted = readConverted(
    options,
    files.filter((file) => !isBlob(file)).map(({ path }) => path),
    ofCommit,
  );
  try {
    for (const file of files) {
      if (isBlob(file)) yield must(await blobs.next());
      else yield await converted.take(below(options.place.folder, file.path));
    }
  } finally {
    await Promise.all([converted.close(), blobs.return(undefined)]);
  }
}

/**
 * Files come in byte order, which is the usual order of requests. A file that comes earlier than its request is stored
 * until then.
 */
function readConverted(
  { place, ref, entryTime, access }: GitContentOptions,
  paths: readonly string[],
  ofCommit: readonly string[],
): { readonly take: (path: string) => Promise<Buffer>; readonly close: () => Promise<unknown> } {
  const wanted = new Set(paths.map((path) => below(place.folder, path)));
  const archive = archivedFiles(access, {
    ref,
    committerTime: entryTime,
    paths: ofCommit.some((path) => wanted.has(path)) ? [...new Set([...wanted, ...ofCommit])] : [...wanted],
  });
  const early = new Map<string, Buffer>();
  const take = async (path: string): Promise<Buffer> => {
    for (let kept = early.get(path); ; kept = early.get(path)) {
      if (kept !== undefined) {
        early.delete(path);
        return kept;
      }
      const next = await archive.next();
      if (next.done === true)
        throw new QuarantineError(
          'UNREADABLE_FILE',
          `git did not give the file ${path}, whose .gitattributes ask for other content. Exclude it from the archive.`,
        );
      if (wanted.has(next.value.path)) early.set(next.value.path, next.value.bytes);
    }
  };
  return { take, close: () => archive.return() };
}

function must(next: IteratorResult<Buffer, void>): Buffer {
  if (next.done === true) throw new Error('unreachable: every blob is asked for before its turn');
  return next.value;
}

// The README and CHANGELOG of a commit, in the package's own folder.

/** Throws GitFailure and QuarantineError if the folder cannot be read. */
async function readTexts(store: ObjectStore, { commit, folder }: PackagePlace): Promise<PackageTexts> {
  const root = await findFolder(store, (await store.commit(commit)).tree, folder);
  const files =
    root === undefined ? [] : (await store.tree(root)).filter(({ kind }) => kind === 'file' || kind === 'executable');
  const chosen = chooseTexts(files.map(({ name }) => name));
  const text = (wanted: string | undefined): ArchivedText | undefined => {
    const entry = files.find(({ name }) => name === wanted);
    return entry === undefined
      ? undefined
      : { identity: `git:${entry.oid}`, read: () => readText(store, entry, below(folder, entry.name)) };
  };
  const [readme, changelog] = [text(chosen.readme), text(chosen.changelog)];
  return { ...(readme === undefined ? {} : { readme }), ...(changelog === undefined ? {} : { changelog }) };
}

async function readText(store: ObjectStore, { oid }: TreeEntry, path: string): Promise<Buffer | undefined> {
  try {
    return await store.smallBlob(oid, maxReadText, path);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}
