// Lists all files below one package's folder without opening them. The list shows whether the package changed and
// which files a build would read. Symlinks are never followed.

import { hash } from 'node:crypto';
import { lstatSync, readdirSync, type BigIntStats, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { QuarantineError } from '../../contract/quarantine.ts';
import { describeFault } from '../../files/file-fault.ts';
import { stampOf, touchedAt } from '../../files/file-stamp.ts';
import { isPartOfPackage, isSilentlyLeftOut } from './folder-rules.ts';

export interface WalkedEntry {
  /** relative to the package, forward slashes */
  readonly path: string;
  /** `fault`: it cannot be published, for the reason in `fault` */
  readonly kind: 'file' | 'executable' | 'symlink' | 'fault';
  readonly fault: QuarantineError | undefined;
  readonly bytes: number;
  readonly stamp: string;
}

export interface PackageWalk {
  readonly entries: readonly WalkedEntry[];
  /** equal as long as no entry came, went or changed its stamp */
  readonly digest: string;
  /** the latest change of any entry, epoch milliseconds */
  readonly touched: number;
  /** the first omitted folder that a user may expect, relative */
  readonly leftOut: string | undefined;
}

export interface WalkOptions {
  /** absolute */
  readonly folder: string;
  readonly dataDirectory: string;
  readonly maxFiles: number;
}

/** Throws QuarantineError UNREADABLE_FILE only for a package with too many files; an unreadable file is an entry. */
export function walkPackage(options: WalkOptions): PackageWalk {
  const entries: WalkedEntry[] = [];
  let touched = 0;
  let leftOut: string | undefined;
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const listing = listFolder(options.folder, folder);
    if (!Array.isArray(listing)) {
      entries.push(listing);
      continue;
    }
    const hasComposerJson = listing.some(({ name }) => name === 'composer.json');
    for (const entry of listing) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.includes('\u{FFFD}')) {
        if (join(options.folder, path) === options.dataDirectory) continue;
        if (isPartOfPackage(entry.name, hasComposerJson)) open.push(path);
        else if (!isSilentlyLeftOut(entry.name)) leftOut ??= path;
        continue;
      }
      const looked = look(options.folder, path);
      entries.push(looked.entry);
      touched = Math.max(touched, looked.touched);
      if (entries.length > options.maxFiles) throw tooManyFiles(options);
    }
  }
  return { entries, digest: digestOf(entries), touched, leftOut };
}

/** The folder's entries, or the fault in their place. */
function listFolder(root: string, folder: string): Dirent[] | WalkedEntry {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    return faulty(
      folder,
      new QuarantineError(
        'UNREADABLE_FILE',
        `The folder ${join(root, folder)} cannot be read: ${describeFault(error)}.`,
        { cause: error },
      ),
    );
  }
}

function look(root: string, path: string): { readonly entry: WalkedEntry; readonly touched: number } {
  const absolute = join(root, path);
  if (path.includes('\u{FFFD}')) return { entry: faulty(path, undecodable(absolute)), touched: 0 };
  try {
    const stats = lstatSync(absolute, { bigint: true });
    return { entry: entryOf(path, absolute, stats), touched: touchedAt(stats) };
  } catch (error) {
    return {
      entry: faulty(
        path,
        new QuarantineError('UNREADABLE_FILE', `${absolute} cannot be read: ${describeFault(error)}.`, {
          cause: error,
        }),
      ),
      touched: 0,
    };
  }
}

function entryOf(path: string, absolute: string, stats: BigIntStats): WalkedEntry {
  const stamp = stampOf(stats);
  if (stats.isSymbolicLink()) return { path, kind: 'symlink', fault: undefined, bytes: Number(stats.size), stamp };
  if (!stats.isFile())
    return {
      ...faulty(
        path,
        new QuarantineError(
          'UNREADABLE_FILE',
          `${absolute} is a ${specialKind(stats)}, which an archive cannot contain. Remove or exclude it.`,
        ),
      ),
      stamp,
    };
  return {
    path,
    kind: (stats.mode & 0o111n) === 0n ? 'file' : 'executable',
    fault: undefined,
    bytes: Number(stats.size),
    stamp,
  };
}

function specialKind(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'named pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isDirectory() ? 'folder that was a file a moment ago' : 'device';
}

/** A file whose real name has U+FFFD is refused too, because Node shows undecodable bytes in the same way. */
function undecodable(absolute: string): QuarantineError {
  return new QuarantineError(
    'UNSAFE_PATH',
    `The name of ${JSON.stringify(absolute)} is not valid UTF-8. Rename the file or exclude it.`,
  );
}

function faulty(path: string, fault: QuarantineError): WalkedEntry {
  return { path, kind: 'fault', fault, bytes: 0, stamp: `fault:${fault.code}` };
}

function tooManyFiles({ folder, maxFiles }: WalkOptions): QuarantineError {
  return new QuarantineError(
    'UNREADABLE_FILE',
    `${folder} contains more than ${maxFiles} files, the maximum for a package. Move files that are not part ` +
      'of the package to another folder.',
  );
}

/** The digest is unambiguous for every file name: a path has no NUL, and a stamp has no line feed. */
function digestOf(entries: readonly WalkedEntry[]): string {
  const rows = entries.map(({ path, stamp }) => `${path}\0${stamp}\0`).sort();
  return hash('sha256', rows.join(''), 'base64url');
}
