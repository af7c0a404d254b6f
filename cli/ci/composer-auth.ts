// Gives Composer the token of a CI job or of a person, and takes it away again: in the environment of the next steps,
// or in its auth.json.

import { appendFileSync, chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { replaceFile } from '../../build/shared/files/atomic-file.ts';
import { isAbsence } from '../../build/shared/files/file-stamp.ts';
import { UsageError } from '../io/usage-error.ts';
import { parseJson } from '../../build/shared/json/parse-json.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';

/** `known`: the credentials so far as JSON text, whose other hosts and kinds stay. Throws UsageError. */
export function withBearer(known: string | undefined, source: string, host: string, token: string): JsonObject {
  const before = known === undefined || known.trim() === '' ? {} : parsed(known, source);
  const bearer = before['bearer'];
  return { ...before, bearer: { ...(isJsonObject(bearer) ? bearer : {}), [host]: token } };
}

/** The token for a host; undefined: there is none. Throws UsageError. */
export function bearerIn(known: string | undefined, source: string, host: string): string | undefined {
  if (known === undefined || known.trim() === '') return undefined;
  const { bearer } = parsed(known, source);
  const token = isJsonObject(bearer) ? bearer[host] : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** All other credentials stay. Throws UsageError. */
export function withoutBearer(known: string, source: string, host: string): JsonObject {
  const { bearer, ...others } = parsed(known, source);
  const left = isJsonObject(bearer) ? Object.entries(bearer).filter(([name]) => name !== host) : [];
  return left.length === 0 ? others : { ...others, bearer: Object.fromEntries(left) };
}

/** The text may hold secrets, so the message does not quote it. */
function parsed(text: string, source: string): JsonObject {
  const json = parseJson(text);
  if (isJsonObject(json)) return json;
  if (Array.isArray(json) && json.length === 0) return {}; // PHP writes an empty object so
  throw new UsageError(`${source} is no JSON object, so its credentials cannot be read. Correct it, or remove it.`);
}

/** Adds a variable for the next steps of the job. The value is one line. */
export function exportToNextSteps(file: string, name: string, value: JsonObject): void {
  try {
    appendFileSync(file, `${name}=${JSON.stringify(value)}\n`);
  } catch (error) {
    throw new UsageError(
      `The file in GITHUB_ENV cannot be written: ${messageOf(error)}. Use --composer-home DIRECTORY.`,
      {
        cause: error,
      },
    );
  }
}

/** Throws UsageError if auth.json of the folder cannot get a token. */
export function assertAuthFile(folder: string): void {
  const path = authFileIn(folder);
  withBearer(authTextOf(path), path, 'HOST', '');
}

/** Removes the token from auth.json of the folder, unless Composer has another one for the host by now. */
export async function removeBearer(folder: string, host: string, token: string): Promise<void> {
  const path = authFileIn(folder);
  const text = authTextOf(path);
  if (text === undefined || bearerIn(text, path, host) !== token) return;
  await replaceAuth(path, withoutBearer(text, path, host));
}

/** Only the user can read the file. Resolves with its path. */
export async function writeAuthFile(folder: string, host: string, token: string): Promise<string> {
  const path = authFileIn(folder);
  await replaceAuth(path, withBearer(authTextOf(path), path, host, token));
  return path;
}

export function authFileIn(folder: string): string {
  return join(folder, 'auth.json');
}

/** Throws UsageError. */
export async function replaceAuth(path: string, auth: JsonObject): Promise<void> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, [`${JSON.stringify(auth, null, 4)}\n`], 0o600);
    chmodSync(path, 0o600);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${messageOf(error)}. Name another folder with COMPOSER_HOME.`, {
      cause: error,
    });
  }
}

/** undefined: there is no such file. Throws UsageError. */
export function authTextOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}. Name another folder with COMPOSER_HOME.`, {
      cause: error,
    });
  }
}
