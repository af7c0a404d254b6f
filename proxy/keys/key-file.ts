// Keys on disk: <data>/keys/<purpose>-<number>.json, the folder for its owner only, each file written once and never
// changed. A higher number is newer. Creating a file with an existing number fails, so two processes cannot both make
// the next key.

import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

import { folderFault } from '../../build/shared/files/folder-fault.ts';
import { StateError } from '../core/state/state-error.ts';

export const keyPurposes = ['signing', 'sealing'] as const;

/** `signing`: sessions. `sealing`: encrypts values that must be read again, for example credentials. */
export type KeyPurpose = (typeof keyPurposes)[number];

const keyFile = z.strictObject({
  /** the key id in signed and sealed texts */
  kid: z.string().regex(/^[0-9A-Za-z]{12}$/),
  created_at: z.iso.datetime(),
  /** from this time on the former key is invalid; null: the former key stays valid */
  previous_ends_at: z.iso.datetime().nullable(),
  /** signing: a private key in PKCS #8 PEM; sealing: 32 bytes in base64url */
  material: z.string(),
});

export type KeyFile = z.infer<typeof keyFile>;

const grammar = /^(signing|sealing)-(\d{4,8})\.json$/;

/** The numbers of the keys of each purpose, lowest first; empty if there is no folder. */
export function listKeyFiles(folder: string): Readonly<Record<KeyPurpose, readonly number[]>> {
  const found: Record<KeyPurpose, number[]> = { signing: [], sealing: [] };
  for (const name of namesIn(folder)) {
    const [, purpose, number] = grammar.exec(name) ?? [];
    if (purpose !== undefined) found[purpose as KeyPurpose].push(Number(number));
  }
  for (const purpose of keyPurposes) found[purpose].sort((a, b) => a - b);
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unusable(folder, error);
  }
}

/** Throws StateError for a file that is not a key of ours. */
export function readKeyFile(folder: string, purpose: KeyPurpose, number: number): KeyFile {
  const path = join(folder, nameOf(purpose, number));
  try {
    return keyFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason =
      error instanceof z.ZodError || error instanceof SyntaxError
        ? 'is not a key that Libretto wrote'
        : (error as Error).message;
    throw new StateError(
      'STATE_CORRUPT',
      `The key ${path} cannot be used: ${reason}. Put the file of a backup in its place.`,
    );
  }
}

/**
 * false: a concurrent process has already made a key with that number. The file is whole or not there, also after a
 * crash.
 */
export function writeKeyFile(folder: string, purpose: KeyPurpose, number: number, key: KeyFile): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const temporary = join(folder, `.${key.kid}.tmp`);
    try {
      writeDurably(temporary, `${JSON.stringify(key, null, 2)}\n`);
      linkSync(temporary, join(folder, nameOf(purpose, number)));
    } finally {
      rmSync(temporary, { force: true });
    }
    syncFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(folder, folderFault(error, folder));
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function nameOf(purpose: KeyPurpose, number: number): string {
  return `${purpose}-${String(number).padStart(4, '0')}.json`;
}

function unusable(folder: string, error: unknown): StateError {
  return new StateError(
    'STATE_UNUSABLE',
    `The keys in ${folder} cannot be used: ${(error as Error).message}. It must be a folder that this user may ` +
      'read and write.',
    { cause: error },
  );
}
