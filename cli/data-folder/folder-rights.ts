// Refuses a data folder that belongs to another user. Otherwise a command would take what it may not read for absent,
// and would answer that a registry has no token.

import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ownUserName } from '../../build/shared/process/own-user.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { UsageError } from '../io/usage-error.ts';

/** The part of a data folder that a command uses. */
export type Area = 'tree' | 'state' | 'all';

const treeParts = ['.', 'public', 'index', 'build'];
const stateParts = ['.', 'state', 'state.json', 'keys'];
const partsOf: Readonly<Record<Area, readonly string[]>> = {
  tree: treeParts,
  state: stateParts,
  all: [...treeParts, ...stateParts, 'artifacts', 'mirror'],
};

/** Throws UsageError with the owner and the way to act as the owner. Parts that do not exist are no fault. */
export async function refuseDenied(data: string, area: Area, right: 'read' | 'change'): Promise<void> {
  for (const part of partsOf[area]) {
    const path = join(data, part);
    const code = await stat(path).then(
      (facts) => accessFault(path, facts.isDirectory(), right),
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'EACCES' || code === 'EPERM') throw await denied(path, right);
  }
}

function accessFault(path: string, isFolder: boolean, right: 'read' | 'change'): Promise<string | undefined> {
  const read = isFolder ? constants.R_OK | constants.X_OK : constants.R_OK;
  return access(path, right === 'change' ? read | constants.W_OK : read).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

async function denied(path: string, right: 'read' | 'change'): Promise<UsageError> {
  return new UsageError(
    `The user ${ownUserName()} may not ${right} ${path}: ${await ownerText(path)}. ` +
      `Or name another data folder with --data.`,
  );
}

/** Names the owner of the folder and the way to run a command as that user, or the change of its mode. No final point. */
export async function ownerText(path: string): Promise<string> {
  const { owned, uid } = await ownedPart(path);
  if (uid === process.getuid?.()) return `its mode forbids it. Change the mode: chmod -R u+rwX ${quoteForShell(owned)}`;
  const name = (await userNameOf(uid)) ?? `'#${uid}'`;
  const owner = name.startsWith("'") ? `the user with the id ${uid}` : name;
  return `${owned === path ? 'it' : owned} belongs to ${owner}. Run the command as that user, with "sudo -u ${name}" before it`;
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

/** undefined: the user has no name on this host. */
async function userNameOf(uid: number): Promise<string | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => line.split(':')).find(([name, , id]) => name !== '' && id === String(uid))?.[0];
}
