// Checks the paths and symlinks of an archive. Every fault throws a QuarantineError that names the path; no fault is
// repaired silently. Unpacking an archive that passed writes only below the archive's own top folder (invariant I4).

import { QuarantineError } from '../contract/quarantine.ts';
import { parseRelativePath } from '../contract/relative-path.ts';

const maxSegmentBytes = 255;
/** PATH_MAX of Linux */
export const maxPathBytes = 4096;

/** Refuses a path that some system or unpacker reads as another path. Throws QuarantineError UNSAFE_PATH. */
export function checkFilePath(path: string): void {
  const fault = faultOf(path);
  if (fault !== undefined)
    throw new QuarantineError(
      'UNSAFE_PATH',
      `The path ${quoteName(path)} cannot be published: ${fault}. Rename or exclude the file.`,
    );
}

/**
 * The paths of one whole archive: each safe by itself, none twice, and none below another one. The target of a symlink
 * would receive an entry below the link. Throws QuarantineError UNSAFE_PATH.
 */
export function checkFileTree(paths: readonly string[]): void {
  for (const path of paths) checkFilePath(path);
  const keys = paths.map(treeOrderKey).toSorted();
  for (const [at, key] of keys.entries()) {
    const next = keys[at + 1];
    if (next?.startsWith(key) !== true || (next !== key && next[key.length] !== '\0')) continue;
    const path = quoteName(key.replaceAll('\0', '/'));
    throw new QuarantineError(
      'UNSAFE_PATH',
      next === key
        ? `The path ${path} occurs twice in this package. Remove one of the two.`
        : `${path} is both a file or symlink and a folder in this package. Rename one of the two.`,
    );
  }
}

/** In the order of these keys, whatever is below a path follows it directly. */
export function treeOrderKey(path: string): string {
  return path.split('/').join('\0'); // replaceAll takes twenty times as long
}

/**
 * The links that must not be in an archive, each with its target and the reason: absolute or leaving ones, also one
 * that leaves and returns. `links` maps a link's path to its stored target. With `paths`, all files and links, a link
 * must end at a file or folder of the package. Without, it may point at nothing or run in a circle, as in `git
 * archive`. `read` makes paths equal that count as one.
 */
export function unsafeLinks(
  links: ReadonlyMap<string, string>,
  paths?: Iterable<string>,
  read = (path: string): string => path,
): Map<string, string> {
  const found = new Map<string, string>();
  if (links.size === 0) return found;
  const top: PathNode = { above: undefined, below: new Map() };
  const walks: Walks = { left: maxSteps, read, mustBeThere: paths !== undefined };
  const starts = Array.from(links, ([path, target]) => {
    const place = placeAt(top, path, walks);
    place.target = target;
    return { path, target, place };
  });
  for (const path of paths ?? []) placeAt(top, path, walks);
  for (const { path, target, place } of starts) {
    const fault = followLink(place, walks);
    if (fault !== undefined) found.set(path, `${quoteName(path)} → ${quoteName(target)}: ${fault}`);
  }
  return found;
}

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

/** A file, folder or link of a package. Walks go from place to place, because joined paths would cost their length. */
interface PathNode {
  readonly above: PathNode | undefined;
  /** undefined: nothing is below it */
  below?: Map<string, PathNode>;
  /** of a link */
  target?: string;
}

interface Walks {
  /** Bounds the walks of one package. A step is a segment of a path or target, or 64 characters. */
  left: number;
  /** makes paths equal that count as one */
  readonly read: (path: string) => string;
  readonly mustBeThere: boolean;
}

const maxSteps = 1_000_000;

/** The place of a path, made where it is missing. Without work left it is any place, since no link is followed then. */
function placeAt(top: PathNode, path: string, walks: Walks): PathNode {
  let here = top;
  for (const segment of segmentsOf(path, walks)) {
    here.below ??= new Map();
    let next = here.below.get(segment);
    if (next === undefined) here.below.set(segment, (next = { above: here }));
    here = next;
  }
  return here;
}

/** None without work left. */
function segmentsOf(path: string, walks: Walks): string[] {
  if (walks.left < 0) return [];
  const segments = walks.read(path).split('/');
  walks.left -= segments.length + path.length / 64;
  return segments;
}

/** Links followed before a path counts as a loop: the limit of Linux (path_resolution(7)). */
const maxLinksFollowed = 40;

/**
 * The fault of a link's target, or undefined. Walks like the kernel: `..` is the parent of the folder that the walk has
 * really reached.
 */
function followLink(start: PathNode, walks: Walks): string | undefined {
  let here = start;
  const ahead: string[] = [];
  for (let followed = 0; ;) {
    if (here.target !== undefined) {
      const segments = segmentsOf(here.target, walks);
      if (walks.left < 0) return `the links of this package need more than ${maxSteps} steps to follow`;
      const fault = faultOfTarget(here.target);
      if (fault !== undefined) return fault;
      followed += 1;
      if (followed > maxLinksFollowed && walks.mustBeThere)
        return `it follows more than ${maxLinksFollowed} links, as a circle does`;
      if (followed > maxLinksFollowed)
        return ahead.includes('..') ? `it leads upwards behind more than ${maxLinksFollowed} links` : undefined;
      ahead.push(...segments.reverse());
      here = here.above ?? here;
    }
    const segment = ahead.pop();
    if (segment === undefined) return undefined;
    if (segment === '' || segment === '.') continue;
    const next = segment === '..' ? here.above : here.below?.get(segment);
    if (next === undefined && segment === '..') return 'it leaves the package';
    const isFile = next !== undefined && next.below === undefined && next.target === undefined;
    if (walks.mustBeThere && (next === undefined || (isFile && ahead.length > 0)))
      return 'there is nothing it points at in this package';
    here = next ?? { above: here };
  }
}

/** The reason why no archive may have a link with this target, wherever the link is. */
export function faultOfTarget(target: string): string | undefined {
  if (isAbsolute(target)) return 'its target is absolute';
  if (target.includes('\\')) return 'its target contains a backslash';
  if (target === '' || controlCharacter.test(target) || !target.isWellFormed()) return 'its target is no path';
  if (Buffer.byteLength(target) > maxPathBytes) return `its target is longer than ${maxPathBytes} bytes`;
  return undefined;
}

/** True for a path with a `..` segment, also as Windows separates segments. */
export function climbs(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
}

/** True for a path that starts at the top of a disk, also after `./`. */
export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|(?:\.?[\\/])*[A-Za-z]:)/.test(path);
}

/** A path without empty segments and `.`. */
export function withoutDots(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}

/** A name for messages: no control characters, and of limited length. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
