// Remembers the state that a data folder belongs to: `state.json` names the first state that was used with the folder,
// and its Redis. A missing state and a different state in its place are refused by that name. Only an order of the
// operator creates a new state or accepts another one, with other tokens (I20).

import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { accessAdvice, fileFaultOf } from '../../build/contract/file-fault.ts';
import { NewerFormat, refuseNewer } from '../../build/contract/newer-format.ts';
import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import { isMissing } from '../../build/output/storage-error.ts';
import { StateError, wayBack } from '../../proxy/core/state/state-error.ts';
import { parseStateIdentity, type StateIdentity } from '../../proxy/core/state/state-identity.ts';
import { replaceDataFile } from '../io/replace-data-file.ts';

export const rememberedStateName = 'state.json';
/** The format of a file without an identity: older versions refuse it, because they would call it damaged. */
const formatWithoutIdentity = 2;
const formatWithIdentity = 1;

export interface RememberedState {
  /** undefined: its Redis had no state yet */
  readonly identity: StateIdentity | undefined;
  /**
   * the Redis of the state, without its password. undefined: the state is in the data folder, or an older version
   * remembered it.
   */
  readonly redis: string | undefined;
}

/**
 * undefined: no state was used with the data folder yet, or only by a version that remembered none. Throws StateError
 * if the file is damaged.
 */
export async function readRememberedState(data: string): Promise<RememberedState | undefined> {
  const path = join(data, rememberedStateName);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error) || isNoFolder(error)) return undefined;
    throw unreadable(path, error);
  });
  if (text === undefined) return undefined;
  try {
    const json = JSON.parse(text) as Readonly<Partial<Record<'format' | 'state' | 'redis', unknown>>> | null;
    refuseNewer(json?.format, formatWithoutIdentity);
    const identity = parseStateIdentity(json?.state);
    const redis = typeof json?.redis === 'string' ? json.redis : undefined;
    if (identity !== undefined || (redis !== undefined && json?.state === undefined)) return { identity, redis };
    throw new Error('it does not name a state');
  } catch (error) {
    if (error instanceof NewerFormat)
      throw new StateError('STATE_TOO_NEW', `${path}: ${error.message}.`, { cause: error });
    const why = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    throw new StateError(
      'STATE_UNUSABLE',
      `${path} cannot be used: ${why}. It identifies the state of this data folder. To use the current state: ` +
        `\`libretto restore --empty --force\`.`,
      { cause: error },
    );
  }
}

/** An unreadable file may name another state, so no new file replaces it. */
function unreadable(path: string, error: unknown): unknown {
  const fault = fileFaultOf(error);
  if (fault === undefined) return error;
  const message = `${path} ${fault.what}. It identifies the state of this data folder. ${fault.advice}.`;
  const then =
    fault.advice === accessAdvice
      ? ''
      : ` Then restore ${rememberedStateName} from a backup, or use the current state with \`libretto restore --empty --force\`.`;
  return new StateError('STATE_UNUSABLE', `${message}${then}`, { cause: error });
}

/** True if the data folder is a file: its users report the error. */
function isNoFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
}

/** Does nothing on a full or read-only disk, or without a data folder: a later command then remembers the state. */
export async function rememberState(data: string, { identity, redis }: RememberedState): Promise<void> {
  try {
    const format = identity === undefined ? formatWithoutIdentity : formatWithIdentity;
    const text = `${JSON.stringify({ format, state: identity, redis })}\n`;
    await replaceDataFile(join(data, rememberedStateName), text, { mode: 0o600, durable: true });
  } catch (error) {
    if (storageFaultOf(error) === undefined && !isMissing(error)) throw error;
  }
}

/** Throws StateError if the name belongs to a folder or device. */
export async function forgetState(data: string): Promise<void> {
  const path = join(data, rememberedStateName);
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw unreadable(path, error);
  });
}

/** `place`: the expected place of the state. */
export function missingState(place: string, remembered: StateIdentity | undefined): StateError {
  const which = remembered === undefined ? '' : ` (${remembered})`;
  const elsewhere = place.startsWith('redis')
    ? 'If the state is in the data folder, leave out --state and LIBRETTO_STATE; if it is in another Redis, name that one.'
    : 'If the state is in a Redis, name it with --state or LIBRETTO_STATE.';
  return new StateError(
    'STATE_MISSING',
    `There is no state in ${place}, but this data folder had one${which}. Libretto does not replace it with an ` +
      `empty state. ${elsewhere} ${wayBack}`,
  );
}

/** The command looks for the state in the data folder, and the folder belongs to a state in a Redis. */
export function stateElsewhere(data: string, redis: string): StateError {
  return new StateError(
    'STATE_ELSEWHERE',
    `The state of the data folder ${data} is in a Redis (${redis}), and this command names none. Name it with ` +
      `--state ${redis} or LIBRETTO_STATE; add its user and password if it has them. To begin a state in the data ` +
      'folder, without the users and tokens in the Redis: `libretto restore --empty --force`.',
  );
}

export function replacedState(place: string, found: StateIdentity, remembered: StateIdentity): StateError {
  return new StateError(
    'STATE_REPLACED',
    `The state in ${place} (${found}) is not the state of this data folder (${remembered}). Name the right one ` +
      `with --state or --data. To use the state that is there: \`libretto restore --empty --force\`.`,
    { found },
  );
}
