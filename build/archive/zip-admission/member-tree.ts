// Checks all entries of a foreign ZIP together. No two files share one name in any file system, and no file has the
// name of a folder. Every symlink leads into the package.

import { QuarantineError } from '../../contract/quarantine.ts';
import { packageRoot } from '../package-root.ts';
import { climbs, faultOfTarget, quoteName, treeOrderKey, unsafeLinks } from '../safe-paths.ts';
import type { ZipLimits } from './zip-limits.ts';
import { zipMember, type ZipMember } from './zip-member.ts';
import { unsafeArchive, unsafeEntry } from './zip-refusals.ts';

/**
 * Throws QuarantineError ARCHIVE_UNSAFE. On macOS and Windows, files that differ only in case or in the encoding of an
 * accent are one file. The last one wins there, so clients would get different packages.
 */
export function checkMemberNames(members: readonly ZipMember[]): void {
  const sorted = members
    .map(({ path, kind }) => ({ path, isFolder: kind === 'folder', key: treeOrderKey(mergedPath(path)) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  for (const [at, { path, isFolder, key }] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before === undefined || (before.isFolder && isFolder)) continue;
    const isSame = before.key === key;
    if (!isSame && (before.isFolder || !key.startsWith(`${before.key}\0`))) continue;
    if (isSame && !before.isFolder && !isFolder)
      throw unsafeArchive(
        before.path === path
          ? `holds the entry ${quoteName(path)} twice`
          : `holds ${quoteName(before.path)} and ${quoteName(path)}, which are the same file on macOS and Windows`,
      );
    const [file, needing] = before.isFolder ? [path, before.path] : [before.path, path];
    throw unsafeEntry(file, `is in the place of a folder that ${quoteName(needing)} needs`);
  }
}

/** Code points that HFS+ ignores in names. */
const ignoredByMac = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Equal for paths that some client's file system holds for the same. Windows drops dots and blanks at the end of a
 * name. Only both cases together fold `ẞ` and `ß` to `ss`.
 */
function mergedPath(path: string): string {
  const folded = path.replace(ignoredByMac, '').normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replace(/(?<=[^. /])[. ]+(?=\/|$)/g, '');
}

/** The package's folder, as `packageRoot` finds it. Empty folders count, because Composer sees them. */
export function rootOf(members: readonly ZipMember[], read?: (name: string) => string): string {
  const named = members.filter(({ path }) => path !== '');
  return packageRoot(
    named.map(({ path, kind }) => (kind === 'folder' ? `${path}/` : path)),
    read,
  );
}

/**
 * `links` maps paths to targets. A link has to end inside the package, which is the folder `root`: unpacking removes
 * the folder's name. Without `paths`, a link may point at nothing, and counts as macOS and Windows read it. Throws
 * QuarantineError ARCHIVE_UNSAFE.
 */
export function checkSymlinks(
  links: ReadonlyMap<string, string>,
  paths: readonly string[] | undefined,
  root: string,
): void {
  const outside = [...links.keys()].find((path) => !path.startsWith(root));
  if (outside !== undefined) throw unsafeEntry(outside, "is a symlink outside the package's folder");
  const below = (path: string): string => path.slice(root.length);
  const found = unsafeLinks(
    new Map(Array.from(links, ([path, target]) => [below(path), target])),
    paths?.filter((path) => path.startsWith(root)).map(below),
    paths === undefined ? mergedPath : undefined,
  );
  const remedy =
    paths === undefined ? '' : ' It cannot be published: replace it with a file, correct it or exclude it.';
  for (const fault of found.values()) throw new QuarantineError('ARCHIVE_UNSAFE', `The symlink ${fault}.${remedy}`);
}

/**
 * The rule for archives that nobody here can pack again: no symlink leads out of the package. Links without a `..`
 * lead down, whatever unpackers make of the names, and so does what is written through them. Beside a `..` the names
 * must be those of an upload, so that every unpacker finds the same links. Of two links at one path, unpackers keep the
 * first or the last: both count. Throws QuarantineError ARCHIVE_UNSAFE.
 */
export function checkHarmlessLinks(
  links: readonly (readonly [string, string])[],
  members: readonly ZipMember[],
  root: string,
  limits: ZipLimits,
): void {
  const climbing = links.find(([, target]) => climbs(target));
  try {
    if (climbing !== undefined && root === '' && rootOf(members, mergedPath) !== '')
      throw unsafeArchive('has top folders that are one folder on macOS and Windows');
    if (climbing !== undefined)
      checkMemberNames(members.map((member) => zipMember(member, { ...limits, harmless: false })));
  } catch (error) {
    const why = `The symlink ${quoteName(climbing?.[0] ?? '')} leads upwards, so that all names must be valid on every system.`;
    throw error instanceof QuarantineError
      ? new QuarantineError('ARCHIVE_UNSAFE', `${why} ${error.message}`, { cause: error })
      : error;
  }
  const wrong = links.filter(([, target]) => climbing !== undefined || faultOfTarget(target) !== undefined);
  checkSymlinks(new Map(wrong), undefined, root);
}
