// Checks all entries of a foreign ZIP together. No two files share one name in any file system, and no file has the
// name of a folder. Every symlink leads into the package.

import { QuarantineError } from '../../contract/quarantine.ts';
import { parentPath } from '../../shared/text/parent-path.ts';
import { checkSymlinks, climbs } from '../safe-paths.ts';
import type { ZipMember } from './zip-member.ts';
import { quoteName, unsafeArchive, unsafeEntry } from './zip-refusals.ts';

/**
 * Throws QuarantineError ARCHIVE_UNSAFE. On macOS and Windows, files that differ only in case or in the encoding of an
 * accent are one file. The last one wins there, so clients would get different packages.
 */
export function checkMemberNames(members: readonly ZipMember[]): void {
  const files = new Map<string, string>();
  for (const { path, kind } of members) {
    if (kind === 'folder') continue;
    const key = mergedPath(path);
    const other = files.get(key);
    if (other !== undefined)
      throw unsafeArchive(
        other === path
          ? `holds the entry ${quoteName(path)} twice`
          : `holds ${quoteName(other)} and ${quoteName(path)}, which are the same file on macOS and Windows`,
      );
    files.set(key, path);
  }
  const seen = new Set<string>();
  for (const { path, kind } of members) {
    for (let folder = kind === 'folder' ? path : parentPath(path); folder !== ''; folder = parentPath(folder)) {
      const key = mergedPath(folder);
      if (seen.has(key)) break;
      seen.add(key);
      if (files.has(key))
        throw unsafeEntry(files.get(key) ?? folder, `is in the place of a folder that ${quoteName(path)} needs`);
    }
  }
}

/**
 * Equal for paths that some client's file system holds for the same. Windows drops dots and blanks at the end of a
 * name.
 */
function mergedPath(path: string): string {
  return path.normalize('NFC').toLowerCase().split('/').map(withoutTail).join('/');
}

function withoutTail(segment: string): string {
  if (/^\.+$/.test(segment)) return segment;
  let end = segment.length;
  while (end > 1 && (segment[end - 1] === '.' || segment[end - 1] === ' ')) end -= 1;
  return segment.slice(0, end);
}

/**
 * `links` maps paths to targets. A link has to end inside the package, which is the folder `root`: unpacking removes
 * the folder's name. Without `paths`, a link may point at nothing. Throws QuarantineError ARCHIVE_UNSAFE.
 */
export function checkLinks(
  links: ReadonlyMap<string, string>,
  paths: readonly string[] | undefined,
  root: string,
): void {
  if (links.size === 0) return;
  const outside = [...links.keys()].find((path) => !path.startsWith(root));
  if (outside !== undefined) throw unsafeEntry(outside, "is a symlink outside the package's folder");
  const below = (path: string): string => path.slice(root.length);
  try {
    checkSymlinks(
      new Map([...links].map(([path, target]) => [below(path), target])),
      paths === undefined ? undefined : new Set(paths.filter((path) => path.startsWith(root)).map(below)),
    );
  } catch (error) {
    throw error instanceof QuarantineError
      ? new QuarantineError('ARCHIVE_UNSAFE', error.message, { cause: error })
      : error;
  }
}

/**
 * The rule for archives that nobody here can pack again: no symlink leads out of the package, and no entry is written
 * through one, on any client's file system. A link to nothing is harmless. Throws QuarantineError ARCHIVE_UNSAFE.
 */
export function checkHarmlessLinks(
  links: ReadonlyMap<string, string>,
  members: readonly ZipMember[],
  root: string,
): void {
  if (links.size === 0) return;
  // only a link with a ".." can lead out: then names count as macOS and Windows read them
  const read = [...links.values()].some(climbs) ? mergedPath : (path: string): string => path;
  const merged = new Map([...links].map(([path, target]) => [read(path), read(target)]));
  const places = members.map(({ path }) => read(path.replaceAll('\\', '/')));
  for (const [at, place] of places.entries()) {
    let folder = parentPath(place);
    while (folder !== '' && !merged.has(folder)) folder = parentPath(folder);
    const path = members[at]?.path ?? '';
    if (
      folder !== '' ||
      (merged.has(place) && places.indexOf(place) !== at) ||
      (links.has(path) && path.includes('\\'))
    )
      throw unsafeEntry(path, 'is written through a symlink or in its place, on Linux, macOS or Windows');
  }
  checkLinks(merged, undefined, read(root));
}
