// Checks the paths and symlinks of an archive. Every fault throws a QuarantineError that names the path; no fault is
// repaired silently. Unpacking an archive that passed writes only below the archive's own top folder (invariant I4).

import { QuarantineError } from '../contract/quarantine.ts';
import { parseRelativePath } from '../contract/relative-path.ts';

const maxSegmentBytes = 255;
const maxPathBytes = 4096;

/** Refuses a path that some system or unpacker reads as another path. Throws QuarantineError UNSAFE_PATH. */
export function checkFilePath(path: string): void {
  const fault = faultOf(path);
  if (fault !== undefined)
    throw new QuarantineError(
      'UNSAFE_PATH',
      `The path ${quote(path)} cannot be published: ${fault}. Rename or exclude the file.`,
    );
}

/**
 * The paths of one whole archive: each safe by itself, none twice, and none below another one. The target of a symlink
 * would receive an entry below the link. Throws QuarantineError UNSAFE_PATH.
 */
export function checkFileTree(paths: readonly string[]): void {
  const taken = new Set<string>();
  for (const path of paths) {
    checkFilePath(path);
    if (taken.has(path))
      throw new QuarantineError(
        'UNSAFE_PATH',
        `The path ${quote(path)} occurs twice in this package. Remove one of the two.`,
      );
    taken.add(path);
  }
  for (const folder of foldersOf(paths)) {
    if (taken.has(folder))
      throw new QuarantineError(
        'UNSAFE_PATH',
        `${quote(folder)} is both a file or symlink and a folder in this package. Rename one of the two.`,
      );
  }
}

/**
 * Every symlink must end at a file or folder of the same package, directly or through other links. Folders exist if a
 * file is below them. `links` maps a link's path to its stored target; `paths` contains all files and links. Throws
 * QuarantineError UNSAFE_SYMLINK for an unsafe link, and with `paths` for one that points at nothing.
 */
export function checkSymlinks(links: ReadonlyMap<string, string>, paths?: ReadonlySet<string>): void {
  if (links.size === 0) return;
  const folders = foldersOf(paths ?? []);
  const isThere: IsThere | undefined = paths && ((path, isLast) => folders.has(path) || (isLast && paths.has(path)));
  for (const fault of unsafeLinks(links, isThere).values())
    throw new QuarantineError(
      'UNSAFE_SYMLINK',
      `The symlink ${fault}. It cannot be published: replace it with a file, correct it or exclude it.`,
    );
}

/**
 * The links that must not be in an archive, each with its target and the reason: absolute or leaving ones, also one that
 * leaves and returns. Without `isThere`, a link may point at nothing or run in a circle, as in `git archive`.
 */
export function unsafeLinks(links: ReadonlyMap<string, string>, isThere?: IsThere): Map<string, string> {
  const found = new Map<string, string>();
  for (const [link, target] of links) {
    const fault = followLink(link, links, isThere);
    if (fault !== undefined) found.set(link, `${quote(link)} → ${quote(target)}: ${fault}`);
  }
  return found;
}

/** `isLast`: nothing has to be below it. */
type IsThere = (path: string, isLast: boolean) => boolean;

// eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

function faultOf(path: string): string | undefined {
  if (path.includes('\\')) return 'it holds a backslash';
  if (controlCharacter.test(path)) return 'it contains a control character';
  if (!path.isWellFormed()) return 'it is not valid Unicode';
  if (path.length * 3 > maxPathBytes && Buffer.byteLength(path) > maxPathBytes)
    return `it is longer than ${maxPathBytes} bytes`;
  const parsed = parseRelativePath(path);
  if ('refusal' in parsed) return parsed.refusal;
  if (path.length * 3 <= maxSegmentBytes) return undefined;
  return path.split('/').some((segment) => Buffer.byteLength(segment) > maxSegmentBytes)
    ? `a segment of it is longer than ${maxSegmentBytes} bytes`
    : undefined;
}

/** Every folder that is above one of these paths; not the root. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    let slash = path.lastIndexOf('/');
    while (slash > 0) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
      slash = path.lastIndexOf('/', slash - 1);
    }
  }
  return folders;
}

/** Links followed before a path counts as a loop: the limit of Linux (path_resolution(7)). */
const maxLinksFollowed = 40;

/**
 * The fault of a link's target, or undefined. Walks like the kernel: `..` is the parent of the folder that the walk has
 * really reached.
 */
function followLink(link: string, links: ReadonlyMap<string, string>, isThere?: IsThere): string | undefined {
  const here = link.split('/');
  const ahead = [here.pop() ?? ''];
  let followed = 0;
  for (let segment = ahead.pop(); segment !== undefined; segment = ahead.pop()) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (here.pop() === undefined) return 'it leaves the package';
      continue;
    }
    here.push(segment);
    const reached = here.join('/');
    const target = links.get(reached);
    if (target === undefined) {
      if (isThere?.(reached, ahead.length === 0) === false) return 'there is nothing it points at in this package';
      continue;
    }
    const fault = faultOfTarget(target);
    if (fault !== undefined) return fault;
    followed += 1;
    if (followed > maxLinksFollowed) return isThere && 'it runs in a circle';
    here.pop();
    ahead.push(...target.split('/').reverse());
  }
  return undefined;
}

function faultOfTarget(target: string): string | undefined {
  if (target.startsWith('/') || /^[A-Za-z]:/.test(target)) return 'its target is absolute';
  if (target.includes('\\')) return 'its target contains a backslash';
  if (target === '' || controlCharacter.test(target) || !target.isWellFormed()) return 'its target is no path';
  if (Buffer.byteLength(target) > maxPathBytes) return `its target is longer than ${maxPathBytes} bytes`;
  return undefined;
}

/** True for a path with a `..` segment, also as Windows separates segments. */
export function climbs(path: string): boolean {
  return path.split(/[\\/]/).includes('..');
}

function quote(path: string): string {
  return JSON.stringify(path);
}
