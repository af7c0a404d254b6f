// The rule for archives that nobody here can pack again: nothing in one may hurt the person who unpacks it. Names are
// read as Linux, macOS and Windows read them; what a system reads as one name is one name. Uploads have a stricter rule
// (member-tree.ts).

import { parentPath } from '../../shared/text/parent-path.ts';
import { mergedPath } from './merged-path.ts';
import { quoteName, unsafeEntry } from './zip-refusals.ts';

/** The path that unpackers make of a name. Throws QuarantineError ARCHIVE_UNSAFE for one that leads elsewhere. */
export function unpackedPath(name: string): string {
  const onWindows = name.replaceAll('\\', '/');
  if (onWindows.startsWith('/')) throw unsafeEntry(name, 'is absolute');
  if (/^[A-Za-z]:/.test(name)) throw unsafeEntry(name, 'starts with a drive letter');
  if (name.includes('\0')) throw unsafeEntry(name, 'has a NUL in its name, where some unpackers end it');
  if (mergedPath(onWindows).split('/').includes('..'))
    throw unsafeEntry(name, 'has a ".." segment, which leads out of its folder');
  return name
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/** Linux, macOS and Windows. */
const readings = [
  (path: string): string => path,
  (path: string): string => path.normalize('NFC').toLowerCase(),
  (path: string): string => mergedPath(path.replaceAll('\\', '/')),
];

export interface ZipLink {
  readonly path: string;
  readonly target: string;
}

/**
 * No symlink leads out of the package, which is the folder `root`, and none of the `written` files and links is written
 * through one. A link to nothing, or to itself, is harmless. Throws QuarantineError ARCHIVE_UNSAFE.
 */
export function checkHarmlessLinks(links: readonly ZipLink[], written: readonly string[], root: string): void {
  if (links.length === 0) return;
  for (const read of readings) {
    const targets = new Map(links.map(({ path, target }) => [read(path), read(target)]));
    const itself = new Set<string>();
    for (const path of written) {
      const place = read(path);
      const isAgain = targets.has(place) && (itself.has(place) || links.every((link) => link.path !== path));
      if (isAgain || isBelowLink(place, targets))
        throw unsafeEntry(path, 'would be written through a symlink of the archive');
      itself.add(place);
    }
    for (const { path, target } of links) {
      if (target.includes('\0') || leaves(read(path), targets, read(root)))
        throw unsafeEntry(path, `is a symlink to ${quoteName(target)}, which leads out of the package`);
    }
  }
}

function isBelowLink(path: string, targets: ReadonlyMap<string, string>): boolean {
  for (let folder = parentPath(path); folder !== ''; folder = parentPath(folder)) if (targets.has(folder)) return true;
  return false;
}

/** Links followed before a path counts as a loop: the limit of Linux (path_resolution(7)). */
const maxLinksFollowed = 40;

/** Walks like the kernel. A name that is not there counts as a folder. */
function leaves(link: string, targets: ReadonlyMap<string, string>, root: string): boolean {
  const here: string[] = [];
  const ahead = link.split('/').reverse();
  for (let followed = 0, segment = ahead.pop(); segment !== undefined; segment = ahead.pop()) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') here.push(segment);
    else if (here.pop() === undefined) return true;
    const target = segment === '..' ? undefined : targets.get(here.join('/'));
    if (target !== undefined) {
      if (target.startsWith('/') || /^[A-Za-z]:/.test(target)) return true;
      if ((followed += 1) > maxLinksFollowed) return false;
      here.pop();
      ahead.push(...target.split('/').reverse());
    }
    if (followed > 0 && !`${here.join('/')}/`.startsWith(root)) return true;
  }
  return false;
}
