// The checks of the data folder: the service's user has all needed rights, other users cannot read private files, and
// the disk has room.

import { access, constants, lstat, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { exhaustedBytes, leastFreeBytes, scarceBytes } from '../../proxy/core/observe/storage.ts';
import { foreignIn, classifyFolder } from '../data-folder/data-folder-traces.ts';
import { leftByRoot, ownerText } from '../data-folder/folder-rights.ts';
import { fullDiskAdvice } from '../text/full-disk-advice.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

export interface DataFolder {
  readonly path: string;
  /** the origin of the path: `--data`, `the default` */
  readonly origin: string;
}

const anotherFolder = 'Name the data folder with --data, with LIBRETTO_DATA, or with `data` in libretto.json.';

/** Checks that the folder exists and is one of a registry, and the rights of this user in it. */
export async function checkFolder({ path, origin }: DataFolder, uid: number | undefined): Promise<Finding> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
  const name = `${path} (${origin})`;
  if (facts === 'EACCES' || facts === 'EPERM')
    return failed('data', `This user may not read ${path}: ${await ownerText(path, path)}.`, anotherFolder);
  if (typeof facts === 'string')
    return failed(
      'data',
      `There is no data folder ${name}.`,
      'Name it with --data, or make it: `libretto build` does.',
    );
  if (!facts.isDirectory()) return failed('data', `The data folder ${name} is a file.`, anotherFolder);
  const found = classifyFolder(path);
  if (found === 'other files' && foreignIn(path).length > 0)
    return failed('data', `The folder ${name} is no data folder: it has no publication and no state.`, anotherFolder);
  return (
    (await checkOwner(path, facts.uid, uid)) ??
    ok('data', `${path} can be read and written${found === 'empty' ? ', and is empty' : ''}`)
  );
}

/** undefined: this user has every right in the folder. */
async function checkOwner(path: string, owner: number, uid: number | undefined): Promise<Finding | undefined> {
  if (uid !== 0 || owner === 0) return checkRights(path);
  const left = await leftByRoot(path);
  if (left !== undefined)
    return failed('data', 'A command of root left files in the data folder of another user.', `${left}.`);
  return warning(
    'data',
    `${path} belongs to user ${owner}, and root may do everything: root cannot check the permissions of that user.`,
    `Run this command as the user of the service, with "sudo -u '#${owner}'" before it.`,
  );
}

async function checkRights(path: string): Promise<Finding | undefined> {
  for (const name of ['.', 'public', 'index', 'build', 'state', 'keys', 'artifacts', 'mirror']) {
    const folder = join(path, name);
    const denied = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (denied === 'EROFS')
      return failed(
        'data',
        `The disk of ${folder} is read-only: packages are served, and changes fail.`,
        'Mount it for writing. If this is unexpected, the system log (dmesg) has the reason.',
      );
    if (denied !== undefined && denied !== 'ENOENT')
      return failed(
        'data',
        `This user may not read and write ${folder} (${denied}): ${await ownerText(path, folder)}.`,
        `If another user builds and serves, give the folder to that user: chown -R USER ${quoteForShell(path)}`,
      );
  }
  return undefined;
}

export async function checkSpace({ path }: DataFolder): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  const free = bavail * bsize;
  const advice = 'Free disk space: `libretto prune` removes archives of versions that are long withdrawn.';
  const full = (message: string): Finding => failed('disk', message, fullDiskAdvice);
  const message = `${(free / 1e9).toFixed(free < 10e9 ? 1 : 0)} GB of disk are free`;
  if (files > 0 && ffree === 0) return full('The disk accepts no more files: changes fail.');
  if (free < leastFreeBytes) return full('The disk is nearly full: packages are served, and most changes fail.');
  if (free < exhaustedBytes) return failed('disk', `Only ${Math.floor(free / 1e6)} MB of disk are free.`, advice);
  return free < scarceBytes ? warning('disk', message, advice) : ok('disk', message);
}

/** Checks that only the owner can read the keys and the state. */
export async function checkModes({ path }: DataFolder): Promise<Finding> {
  const open: string[] = [];
  const keys = join(path, 'keys');
  const names = await readdir(keys).catch(() => []);
  for (const secret of [keys, ...names.map((name) => join(keys, name)), join(path, 'state')]) {
    const facts = await lstat(secret).catch(() => undefined);
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(secret);
  }
  if (open.length > 0)
    return failed(
      'keys',
      'Other users than the owner can access ' +
        `${open.slice(0, 3).join(', ')}${open.length > 3 ? ` and ${open.length - 3} more` : ''}.`,
      `chmod -R go= ${(open.length > 3 ? [keys, join(path, 'state')] : open).map(quoteForShell).join(' ')}; and if ` +
        `others could read keys, change them: \`libretto keys rotate --data ${quoteForShell(path)}\``,
    );
  return names.length === 0
    ? skipped('keys', 'There is no key yet; Libretto creates each key when it is first needed.')
    : ok('keys', 'Only the owner can access keys and state');
}
