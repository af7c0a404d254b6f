// The README and CHANGELOG in a ZIP that was admitted.

import { packageRoot } from '../package-root.ts';
import { defaultZipLimits } from './zip-limits.ts';
import { readZipDirectory, type ZipFile } from '../zip-directory.ts';
import { chooseTexts } from '../../contract/package-texts.ts';
import { createPause } from '../../files/pause.ts';
import { readUnchanged } from '../../files/read-file.ts';
import { maxReadText, type ArchivedText, type PackageTexts } from '../content.ts';

/** `path` is absolute. Reads both texts in one pass, so that the archive is in memory only briefly. */
export async function readTexts(path: string): Promise<PackageTexts> {
  const members = await openArchive(path);
  if (members === undefined) return {};
  const paths = [...members.keys()];
  const root = packageRoot(paths);
  const top = paths.flatMap((file) =>
    file.startsWith(root) && !file.slice(root.length).includes('/') ? [file.slice(root.length)] : [],
  );
  const { readme, changelog } = chooseTexts(top);
  const text = (file: string): ArchivedText => {
    const bytes = readMember(members, root + file);
    return { identity: `zip:${path}:${file}`, read: () => Promise.resolve(bytes) };
  };
  return {
    ...(readme === undefined ? {} : { readme: text(readme) }),
    ...(changelog === undefined ? {} : { changelog: text(changelog) }),
  };
}

async function openArchive(path: string): Promise<ReadonlyMap<string, ZipFile> | undefined> {
  try {
    return readZipDirectory(await readUnchanged(path, { maxBytes: defaultZipLimits.archiveBytes }, createPause()));
  } catch {
    // an admitted archive can be read, so the file must have changed, and the copy reports that
    return undefined;
  }
}

function readMember(members: ReadonlyMap<string, ZipFile>, path: string): Buffer | undefined {
  try {
    return members.get(path)?.read(maxReadText);
  } catch {
    return undefined; // as above: the version has no such text
  }
}
