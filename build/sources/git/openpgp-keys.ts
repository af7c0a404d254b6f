// The OpenPGP keys that may sign tags, in a temporary folder for gpg. The keys and the settings of the user who runs
// the build stay out of it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BuildRefused } from '../../contract/refusals.ts';
import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import { explainGit } from '../git-failure.ts';

export type OpenPgpKeys = ReturnType<typeof createOpenPgpKeys>;

/** gpg asks nobody, starts no agent and fetches no key. Every key of the list is as good as any other. */
const settings = 'batch\nno-tty\nno-autostart\nno-auto-key-retrieve\nno-auto-check-trustdb\ntrust-model always\n';

const importMs = 60_000;

/** `file`: public keys, as `gpg --export` writes them. */
export function createOpenPgpKeys(file: string, environment: GitEnvironment) {
  let made: Promise<string> | undefined;
  return {
    /** The folder for GNUPGHOME, made once. Throws BuildRefused if gpg cannot read the keys. */
    home: () => (made ??= makeHome(file, environment)),
    close: async (): Promise<void> => {
      const path = await made?.catch(() => undefined);
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

async function makeHome(file: string, environment: GitEnvironment): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'libretto-keys-'));
  try {
    await writeFile(join(path, 'gpg.conf'), settings);
    await importKeys(file, { ...localEnvironment(environment, '/dev/null'), GNUPGHOME: path });
    return path;
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw error;
  }
}

async function importKeys(file: string, env: Record<string, string>): Promise<void> {
  const { execa } = await import('execa');
  const { exitCode, stderr } = await execa('gpg', ['--quiet', '--import', file], {
    env,
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    reject: false,
    timeout: importMs,
  });
  if (exitCode === 0) return;
  throw new BuildRefused(
    `gpg cannot read ${file}: ${explainGit(stderr)}. Nothing was published. Write the public keys of the signers ` +
      'into it with `gpg --export KEY…`, or remove `signersKeyring` from libretto.json (LIBRETTO_SIGNERS_KEYRING).',
  );
}
