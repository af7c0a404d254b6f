// The README and CHANGELOG of a commit, in the package's own folder.

import { chooseTexts } from '../../contract/package-texts.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { maxReadText, type PackageText, type PackageTexts } from '../../archive/content.ts';
import { below, findFolder } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { TreeEntry } from './objects.ts';
import type { PackagePlace } from './package-files.ts';

/** Throws GitFailure and QuarantineError if the folder cannot be read. */
export async function readTexts(store: ObjectStore, { commit, folder }: PackagePlace): Promise<PackageTexts> {
  const root = await findFolder(store, (await store.commit(commit)).tree, folder);
  const files =
    root === undefined ? [] : (await store.tree(root)).filter(({ kind }) => kind === 'file' || kind === 'executable');
  const chosen = chooseTexts(files.map(({ name }) => name));
  const text = (wanted: string | undefined): PackageText | undefined => {
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
