// The README and CHANGELOG in a ZIP that was admitted.

import { packageRoot } from '../package-root.ts';
import { defaultZipLimits } from './zip-limits.ts';
import { openZipMembers, type ZipMembers } from '../zip-members.ts';
import { chooseTexts } from '../../contract/package-texts.ts';
import { createPause } from '../../files/pause.ts';
import { readUnchanged } from '../../files/read-file.ts';
import { maxReadText, type ArchivedText, type PackageTexts } from '../content.ts';

/** `path` is absolute. Reads both texts in one pass, so that the archive is in memory only briefly. */
export async function readTexts(path: string): Promise<PackageTexts> {
  const members = await openArchive(path);
  if (members === undefined) return {};
  const root = packageRoot(members.paths);
  const top = members.paths.flatMap((file) =>
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

async function openArchive(path: string): Promise<ZipMembers | undefined> {
  try {
    return openZipMembers(await readUnchanged(path, { maxBytes: defaultZipLimits.archiveBytes }, createPause()));
  } catch {
    // adm-zip throws plain errors and strings. An admitted archive has no such error, so the file must have changed,
    // and the copy reports that
    return undefined;
  }
}

function readMember(members: ZipMembers, path: string): Buffer | undefined {
  try {
    return members.read(path, maxReadText);
  } catch {
    return undefined; // as above: the version has no such text
  }
}
