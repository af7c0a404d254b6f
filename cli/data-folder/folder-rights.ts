// Refuses a data folder that belongs to another user. Otherwise a command would take what it may not read for absent,
// and would answer that a registry has no token. Root may read and write everything, but the files that root makes
// there are closed to the owner: a command of root that changes such a folder is refused too (decision D407).

import { access, constants, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ownUserName } from '../../build/shared/process/own-user.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { userName } from '../io/file-owner.ts';
import { UsageError } from '../io/usage-error.ts';

/** The part of a data folder that a command uses. */
export type FolderPart = 'tree' | 'state' | 'all';

const treeParts = ['.', 'public', 'index', 'build'];
const stateParts = ['.', 'state', 'state.json', 'keys'];
const partsOf: Readonly<Record<FolderPart, readonly string[]>> = {
  tree: treeParts,
  state: stateParts,
  all: [...treeParts, ...stateParts, 'artifacts', 'mirror'],
};

/** Throws UsageError with the owner and the way to act as the owner. Parts that do not exist are no fault. */
export async function refuseDenied(data: string, area: FolderPart, right: 'read' | 'change'): Promise<void> {
  for (const part of partsOf[area]) {
    const path = join(data, part);
    const code = await stat(path).then(
      (facts) => accessFault(path, facts.isDirectory(), right),
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'EACCES' || code === 'EPERM') throw await denied(data, path, right);
  }
}

/** Throws UsageError if root would leave files in the data folder of another user. */
export async function refuseRoot(data: string, area: FolderPart, right: 'read' | 'change'): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await uidOf(data);
  if (owner === undefined || owner === 0) return;
  if (right === 'read' && (area === 'tree' || !(await opensWithNewFile(data)))) return;
  const { shown, forSudo } = userOf(owner);
  throw new UsageError(
    `${data} belongs to ${shown}, and root would leave files in it that this user may not change. Run the command as ` +
      `that user, with "sudo -u ${forSudo}" before it, or with the command for operators of docs/how-to/deploy.md.`,
  );
}

/** The database makes its lock file when it is opened, also to read. */
async function opensWithNewFile(data: string): Promise<boolean> {
  const [database, lock] = await Promise.all(['data.mdb', 'lock.mdb'].map((name) => uidOf(join(data, 'state', name))));
  return database !== undefined && lock === undefined;
}

function accessFault(path: string, isFolder: boolean, right: 'read' | 'change'): Promise<string | undefined> {
  const read = isFolder ? constants.R_OK | constants.X_OK : constants.R_OK;
  return access(path, right === 'change' ? read | constants.W_OK : read).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

async function denied(data: string, path: string, right: 'read' | 'change'): Promise<UsageError> {
  return new UsageError(
    `The user ${ownUserName()} may not ${right} ${path}: ${await ownerText(data, path)}. ` +
      `Or name another data folder with --data.`,
  );
}

/**
 * Names the owner of a part of the data folder, and the repair: another mode, the owner of the whole folder for this
 * part, or the command as the owner. No final point.
 */
export async function ownerText(data: string, path: string): Promise<string> {
  const { owned, uid } = await ownedPart(path);
  if (uid === process.getuid?.()) return `its mode forbids it. Change the mode: chmod -R u+rwX ${quoteForShell(owned)}`;
  const { shown, forSudo } = userOf(uid);
  const of = `${owned === path ? 'it' : owned} belongs to ${shown}`;
  const whole = path === data ? undefined : await uidOf(data);
  if (whole !== undefined && whole !== uid) return `${of}, and ${wholeOwnerText(data, whole)}`;
  if (uid === 0 && owned !== path)
    return `${of}, and only its owner may enter it. Run the command as the owner of ${data}`;
  return `${of}. Run the command as that user, with "sudo -u ${forSudo}" before it`;
}

/** A command of another user left a part that the owner of the folder may not use. No final point. */
function wholeOwnerText(data: string, uid: number): string {
  const { shown, forChown } = userOf(uid);
  return `${data} to ${shown}. Give the folder back, as root: chown -R ${forChown} ${quoteForShell(data)}`;
}

/** A part of the data folder that belongs to root, in the folder of another user; with the repair. No final point. */
export async function leftByRoot(data: string): Promise<string | undefined> {
  const owner = await uidOf(data);
  if (owner === undefined || owner === 0) return undefined;
  for (const part of [...partsOf.all, 'public/dist', 'public/p2']) {
    const path = join(data, part);
    if ((await uidOf(path)) === 0) return `${path} belongs to root, and ${wholeOwnerText(data, owner)}`;
  }
  return undefined;
}

/** undefined: it is not there, or this user may not see it. */
async function uidOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/** A user for a sentence, and as a word of `sudo -u` and of `chown`. */
function userOf(uid: number): { readonly shown: string; readonly forSudo: string; readonly forChown: string } {
  const name = userName(uid);
  return name === undefined
    ? { shown: `the user with the id ${uid}`, forSudo: `'#${uid}'`, forChown: String(uid) }
    : { shown: name, forSudo: name, forChown: name };
}

/** The path, or the nearest folder above it whose owner this user may see. */
async function ownedPart(path: string): Promise<{ readonly owned: string; readonly uid: number }> {
  try {
    return { owned: path, uid: (await stat(path)).uid };
  } catch (error) {
    if (dirname(path) === path) throw error;
    return ownedPart(dirname(path));
  }
}
