// Admits a foreign ZIP, or refuses it and names the wrong entry. Unpacking an admitted ZIP writes below one folder and
// needs bounded space and time, and no byte is damaged. All unpackers read it alike, unless the limits ask for a
// harmless ZIP only. The admission reads every byte exactly once, in order, and writes nothing to disk.

import { createHash } from 'node:crypto';
import { createPause } from '../../files/pause.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { quoteName, climbs, faultOfTarget, treeOrderKey, unsafeLinks } from '../safe-paths.ts';
import { listCentralEntries } from './central-entries.ts';
import { readCentralDirectory, type CentralDirectory } from './end-record.ts';
import { ForwardReader } from './forward-reader.ts';
import { inflateMember } from './inflate-member.ts';
import { readDescriptor, readLocalHeader } from './local-header.ts';
import { compareContents } from './one-path.ts';
import { withOpenFile, type OpenedFile } from './open-file.ts';
import { defaultZipLimits, type ZipLimits } from './zip-limits.ts';
import { zipMember, type ZipMember } from './zip-member.ts';
import { unsafeArchive, unsafeEntry } from './zip-refusals.ts';
import { packageRoot } from '../package-root.ts';

// Checks all entries of a foreign ZIP together. No two files share one name in any file system, and no file has the
// name of a folder. Every symlink leads into the package.

/**
 * Throws QuarantineError ARCHIVE_UNSAFE. On macOS and Windows, files that differ only in case or in the encoding of an
 * accent are one file. The last one wins there, so clients would get different packages.
 */
function checkMemberNames(members: readonly ZipMember[]): void {
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
function rootOf(members: readonly ZipMember[], read?: (name: string) => string): string {
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
function checkSymlinks(links: ReadonlyMap<string, string>, paths: readonly string[] | undefined, root: string): void {
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
function checkHarmlessLinks(
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

export interface AdmittedZip extends OpenedFile {
  /** lower-case hex, of the whole file */
  readonly sha256: string;
  /** `''` for a flat archive; `folder/` if Composer unpacks the package from its only top folder */
  readonly root: string;
  /** the paths of files and symlinks, as the archive has them */
  readonly paths: readonly string[];
  /** the composer.json at the package's root; undefined without one, or with one that is too long */
  readonly composerJson: Buffer | undefined;
}

/**
 * Throws QuarantineError ARCHIVE_UNSAFE, ARCHIVE_UNREADABLE or EMPTY_ARCHIVE for the contents. Throws UNREADABLE_FILE
 * for a file that cannot be read or changes during the read.
 */
export async function admitZip(path: string, limits: ZipLimits = defaultZipLimits): Promise<AdmittedZip> {
  return withOpenFile(path, async (descriptor, look) => {
    if (look.size > limits.archiveBytes)
      throw unsafeArchive(`has ${look.size} bytes; it may have ${limits.archiveBytes}`);
    const directory = readCentralDirectory(descriptor, look.size, limits);
    const members = (await listCentralEntries(directory)).map((entry) => zipMember(entry, limits));
    checkTotal(members, limits);
    if (!limits.harmless) checkMemberNames(members);
    const paths = members.filter(({ kind }) => kind !== 'folder').map((member) => member.path);
    if (paths.length === 0)
      throw new QuarantineError(
        'EMPTY_ARCHIVE',
        'The archive contains no file. Remove it, or pack it again with the package.',
      );
    const root = rootOf(members);
    const content = await readMembers(descriptor, directory, members, `${root}composer.json`, limits);
    if (limits.harmless) checkHarmlessLinks(content.links, members, root, limits);
    else checkSymlinks(new Map(content.links), paths, root);
    return { ...look, sha256: content.sha256, root, paths, composerJson: content.composerJson };
  });
}

/** Claims only; that no entry holds more than it claims is seen while it is inflated. */
function checkTotal(members: readonly ZipMember[], limits: ZipLimits): void {
  const total = members.reduce((sum, { size }) => sum + size, 0);
  if (total > limits.contentBytes)
    throw unsafeArchive(`unpacks to ${total} bytes; it may unpack to ${limits.contentBytes}`);
}

interface MembersContent {
  readonly sha256: string;
  /** path and target of each symlink; several may have one path */
  readonly links: readonly (readonly [string, string])[];
  readonly composerJson: Buffer | undefined;
}

/**
 * Every byte before the directory belongs to exactly one entry: the last entry must end at the start of the directory.
 */
async function readMembers(
  descriptor: number,
  directory: CentralDirectory,
  members: readonly ZipMember[],
  composerPath: string,
  limits: ZipLimits,
): Promise<MembersContent> {
  const hash = createHash('sha256');
  const reader = new ForwardReader(descriptor, directory.offset, hash);
  const pause = createPause();
  const ordered = members.toSorted((one, other) => one.localOffset - other.localOffset);
  const links: [string, string][] = [];
  const compared = compareContents(members);
  let composerJson: Buffer | undefined;
  for (const [index, member] of ordered.entries()) {
    const [next, others] = [ordered[index + 1]?.localOffset ?? directory.offset, compared(member)];
    const pieces: Buffer[] = [];
    const keeps =
      member.kind === 'symlink' || (member.path === composerPath && member.size <= limits.composerJsonBytes);
    await readMember(reader, member, next, (piece) => {
      others?.take(piece);
      if (keeps) pieces.push(Buffer.from(piece));
    });
    others?.end();
    if (member.kind === 'symlink') links.push([member.path, Buffer.concat(pieces).toString('utf8')]);
    else if (keeps) composerJson = Buffer.concat(pieces);
    await pause(member.size + member.compressedSize + costOfMember);
  }
  return { sha256: hash.update(directory.tail).digest('hex'), links, composerJson };
}

/** The assumed cost of one entry, in inflated bytes. */
const costOfMember = 4096;

/** `next`: the offset of the following entry. `take` is given the content piece by piece. */
async function readMember(
  reader: ForwardReader,
  member: ZipMember,
  next: number,
  take: (piece: Buffer) => void,
): Promise<void> {
  if (member.localOffset > reader.position)
    throw unsafeArchive(`has bytes in front of its entry ${quoteName(member.path)} that belong to no entry`);
  if (member.localOffset < reader.position) throw overlap(member);
  const header = readLocalHeader(reader, member);
  if (reader.position + member.compressedSize > next) throw overlap(member);
  await inflateMember(reader, member, take);
  readDescriptor(reader, next - reader.position, header, member);
}

function overlap(member: ZipMember): Error {
  return unsafeEntry(member.path, 'overlaps another one, as in a ZIP bomb');
}
