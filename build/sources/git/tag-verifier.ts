// Asks git whether a known key signed a tag. Only the lists of this registry count: the repository's configuration can
// neither name other keys nor start a program.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSigner, type Signer } from '../../contract/signer.ts';
import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import type { SignatureKind } from './objects.ts';
import { runGit, type GitResult } from './run-git.ts';
import type { Signers } from './signers.ts';
import { BuildRefused } from '../../contract/refusals.ts';
import { explainGit } from '../git-failure.ts';

export interface TagVerifier {
  /** digest of the lists of signers */
  readonly signers: string;
  /**
   * The signer; null: nobody with a known key. undefined: signatures of this kind cannot be judged on this machine.
   * Throws GitFailure.
   */
  readonly verify: (oid: string, kind: SignatureKind) => Promise<Signer | null | undefined>;
  /** for the report of the build */
  readonly remarks: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface VerifierOptions {
  readonly signers: Signers;
  /** the repository */
  readonly gitDirectory: string;
  readonly environment: GitEnvironment;
  readonly timeoutMs: number;
}

/** Writable memory of git, and of each program that it starts. A tag has at most a megabyte. */
const verifyingBytes = 512 * 1024 * 1024;

/** 1: a signature that does not count; 128: git cannot read the tag */
const accepted = [0, 1, 128];

export function createTagVerifier({ signers, gitDirectory, environment, timeoutMs }: VerifierOptions): TagVerifier {
  const { ssh, openpgp } = signers;
  const keys = openpgp === undefined ? undefined : createOpenPgpKeys(openpgp.file, environment);
  let isOld = false;
  const verifyTag = (
    operands: readonly string[],
    settings: Settings,
    more: Record<string, string> = {},
  ): Promise<GitResult> =>
    runGit({
      operands: [...optionsFor(settings), 'verify-tag', ...operands],
      environment: { ...localEnvironment(environment, gitDirectory), ...more },
      timeoutMs,
      accepted,
      memoryBytes: verifyingBytes,
      frequent: true,
    });
  return {
    signers: signers.digest,
    async verify(oid, kind) {
      const list = kind === 'ssh' ? ssh : openpgp;
      if (list === undefined) return null;
      if (!list.canVerify) return undefined;
      if (kind === 'ssh') {
        const signer = signerInComplaint(await verifyTag([oid], sshSettings(list.file)));
        isOld ||= signer === undefined;
        return signer;
      }
      const status = await verifyTag(['--raw', oid], openPgpSettings, {
        GNUPGHOME: (await keys?.home()) ?? '/dev/null',
      });
      return signerInStatus(status.complaint) ?? null;
    },
    remarks: () => (isOld ? [oldGit] : []),
    close: async () => keys?.close(),
  };
}

const oldGit =
  'Tags with SSH signatures could not be compared with the known keys: this git knows no such signatures. Install git ' +
  '2.34 or newer.';

/** undefined: this git is older than 2.34, and knows no SSH signatures. */
function signerInComplaint({ exitCode, complaint }: GitResult): Signer | null | undefined {
  if (/^error: no signature found$/m.test(complaint)) return undefined;
  const principal = /^Good "git" signature for (.+) with \S+ key \S+$/m.exec(complaint)?.[1];
  return exitCode === 0 && principal !== undefined ? (parseSigner(principal) ?? null) : null;
}

type Settings = Readonly<Record<string, string>>;

/** git starts `false` in place of a program for another kind of signature. */
const noPrograms: Settings = {
  'gpg.ssh.program': 'false',
  'gpg.program': 'false',
  'gpg.openpgp.program': 'false',
  'gpg.x509.program': 'false',
  'gpg.minTrustLevel': 'undefined',
};

const sshSettings = (file: string): Settings => ({
  'gpg.ssh.allowedSignersFile': file,
  'gpg.ssh.program': 'ssh-keygen',
});

const openPgpSettings: Settings = { 'gpg.program': 'gpg', 'gpg.openpgp.program': 'gpg' };

function optionsFor(settings: Settings): readonly string[] {
  return Object.entries({ ...noPrograms, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

// Reads the status lines of gpg about one signature (doc/DETAILS of GnuPG). Pure.

/**
 * The mail address of the key, or its whole user id without one. A key that has expired since counts for what it signed
 * before, so that the same tag gives the same answer on any day. undefined: no signature that counts.
 */
export function signerInStatus(lines: string): Signer | undefined {
  const rows = [...lines.matchAll(/^\[GNUPG:\] (\w+)(?: (.*))?$/gm)].map(([, word = '', text = '']) => ({
    word,
    text,
  }));
  const textsOf = (wanted: string): readonly string[] =>
    rows.flatMap(({ word, text }) => (word === wanted ? [text] : []));
  const isDoubtful = rows.some(({ word }) => refused.has(word)) || textsOf('NEWSIG').length > 1;
  const [valid] = textsOf('VALIDSIG');
  const [good] = textsOf('GOODSIG');
  const [expired] = textsOf('EXPKEYSIG');
  const signature = good ?? expired;
  if (isDoubtful || valid === undefined || signature === undefined) return undefined;
  const signedAt = Number(valid.split(' ')[2]);
  if (good === undefined && !textsOf('KEYEXPIRED').every((end) => signedAt < Number(end))) return undefined;
  const userId = signature.slice(signature.indexOf(' ') + 1);
  return parseSigner(/<([^<>]+)>$/.exec(userId)?.[1] ?? userId);
}

const refused: ReadonlySet<string> = new Set(['BADSIG', 'ERRSIG', 'EXPSIG', 'REVKEYSIG', 'KEYREVOKED', 'FAILURE']);

/** gpg asks nobody, starts no agent and fetches no key. Every key of the list is as good as any other. */
const settings = 'batch\nno-tty\nno-autostart\nno-auto-key-retrieve\nno-auto-check-trustdb\ntrust-model always\n';

const importMs = 60_000;

/**
 * The OpenPGP keys that may sign tags, in a temporary folder for gpg. The keys and the settings of the user who runs the
 * build stay out of it. `file`: public keys, as `gpg --export` writes them.
 */
function createOpenPgpKeys(file: string, environment: GitEnvironment) {
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
    `gpg cannot read ${file}: ${explainGit(stderr)} Nothing was published. Write the public keys of the signers ` +
      'into it with `gpg --export KEY…`, or remove `signersKeyring` from libretto.json (LIBRETTO_SIGNERS_KEYRING).',
  );
}
