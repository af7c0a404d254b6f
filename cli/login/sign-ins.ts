// The sign-ins of a person on this machine: one for each registry. A file that only the person can read has them. Where
// the desktop has a secret service, the token itself is there, and the file has the rest.

import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../build/shared/files/atomic-file.ts';
import { isAbsence } from '../../build/shared/files/file-stamp.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';
import { configFolder } from './config-folder.ts';
import { execa } from 'execa';
import { parseJson } from '../../build/shared/json/parse-json.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';

export interface SignIn {
  /** the address of the registry, without a slash at its end */
  readonly url: string;
  readonly token_id: string;
  readonly email: string;
  readonly expires_at: string;
  readonly kept_in: 'file' | 'secret service';
}

export interface SignIns {
  /** the path of the file */
  readonly path: string;
  /** By address. Throws UsageError for a file that is damaged, or that others can read. */
  readonly list: () => readonly SignIn[];
  /** undefined: the secret service has lost it */
  readonly tokenOf: (signIn: SignIn) => Promise<string | undefined>;
  /** Replaces the sign-in at the same registry. */
  readonly keep: (signIn: Omit<SignIn, 'kept_in'>, token: string) => Promise<SignIn>;
  readonly forget: (signIn: SignIn) => Promise<void>;
}

const row = z.strictObject({
  url: z.string(),
  token_id: z.string(),
  email: z.string(),
  expires_at: z.iso.datetime(),
  kept_in: z.enum(['file', 'secret service']),
  token: z.string().optional(),
});
const file = z.strictObject({ sign_ins: z.array(row) });
type Row = z.infer<typeof row>;

export function openSignIns(environment: Environment): SignIns {
  const path = join(configFolder(environment), 'sign-ins.json');
  const service = secretService(environment);
  return {
    path,
    list: () => readRows(path).map(({ token: _token, ...signIn }) => signIn),
    tokenOf: async ({ url, kept_in: place }) =>
      place === 'file' ? readRows(path).find((one) => one.url === url)?.token : service?.lookUp(url),
    keep: async (signIn, token) => {
      const isInService = (await service?.store(signIn.url, token)) === true;
      const kept: SignIn = { ...signIn, kept_in: isInService ? 'secret service' : 'file' };
      const others = readRows(path).filter(({ url }) => url !== signIn.url);
      await writeRows(path, [...others, isInService ? kept : { ...kept, token }]);
      return kept;
    },
    forget: async ({ url, kept_in: place }) => {
      if (place === 'secret service') await service?.clear(url);
      await writeRows(
        path,
        readRows(path).filter((one) => one.url !== url),
      );
    },
  };
}

function readRows(path: string): readonly Row[] {
  const text = textOf(path);
  if (text === undefined) return [];
  const parsed = file.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.sign_ins;
  // the text may hold tokens, so the message does not quote it
  throw new UsageError(
    `${path} is damaged, so that no sign-in can be read. Remove it, and run \`libretto login\` again.`,
  );
}

function textOf(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    assertPrivate(path);
    return text;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}. Correct its rights, or remove it.`, {
      cause: error,
    });
  }
}

/** Windows has no such rights: there, the folder of the person is private. */
function assertPrivate(path: string): void {
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return;
  throw new UsageError(
    `Other users of this machine can read ${path}, which has your tokens. End them in the console, and run ` +
      `\`chmod 600 ${path}\`.`,
  );
}

async function writeRows(path: string, rows: readonly Row[]): Promise<void> {
  const sorted = rows.toSorted((one, other) => (one.url < other.url ? -1 : 1));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, [`${JSON.stringify({ sign_ins: sorted }, null, 2)}\n`], 0o600);
    chmodSync(path, 0o600);
  } catch (error) {
    throw new UsageError(
      `${path} cannot be written: ${messageOf(error)}. Correct its rights, or name another folder with XDG_CONFIG_HOME.`,
      { cause: error },
    );
  }
}

// The secret service of a desktop, through the program secret-tool. It is used where both are there: the program, and a
// session bus. Secrets go through pipes, so that no list of processes shows them.

interface SecretService {
  /** False if the service keeps nothing, for example without a keyring. */
  readonly store: (url: string, secret: string) => Promise<boolean>;
  /** undefined: the service has none, or does not answer */
  readonly lookUp: (url: string) => Promise<string | undefined>;
  readonly clear: (url: string) => Promise<void>;
}

/** A keyring that is locked asks its person, who may be away. */
const answerTimeoutMs = 60_000;

/** undefined: there is no session bus. */
function secretService(environment: Environment): SecretService | undefined {
  if ((environment['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') return undefined;
  const run = (words: readonly string[], input = '') =>
    execa('secret-tool', words, {
      env: environment,
      extendEnv: false,
      reject: false,
      timeout: answerTimeoutMs,
      input,
    });
  const lookUp = async (url: string): Promise<string | undefined> => {
    const { failed, stdout } = await run(['lookup', ...attributes(url)]);
    return failed || stdout === '' ? undefined : stdout.trim();
  };
  return {
    store: async (url, secret) => {
      const { failed } = await run(['store', '--label', `Libretto: ${url}`, ...attributes(url)], secret);
      return !failed && (await lookUp(url)) === secret;
    },
    lookUp,
    clear: async (url) => {
      await run(['clear', ...attributes(url)]);
    },
  };
}

function attributes(url: string): readonly string[] {
  return ['service', 'libretto', 'registry', url];
}
