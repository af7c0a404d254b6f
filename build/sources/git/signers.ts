// The keys that may sign tags, from the files that the configuration names: allowed signers of OpenSSH, and public keys
// of OpenPGP. ssh-keygen and gpg judge the signatures. This file refuses lists that cannot be meant, since a typing
// error would make every tag unsigned.

import { isUtf8 } from 'node:buffer';
import { accessSync, constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { BuildRefused } from '../../contract/refusals.ts';
import { digestOf } from '../../shared/text/digest-of.ts';
import { messageOf } from '../../shared/text/message-of.ts';
import type { GitEnvironment } from './git-environment.ts';

/** Absolute paths. */
export interface SignerFiles {
  readonly ssh?: string | undefined;
  readonly openpgp?: string | undefined;
}

export interface KeyList {
  readonly file: string;
  /** false: the program is not installed, so no signature of this kind can be judged now */
  readonly canVerify: boolean;
}

export interface Signers {
  readonly ssh?: KeyList | undefined;
  readonly openpgp?: KeyList | undefined;
  /** of the contents: signatures that were judged by other lists are judged again */
  readonly digest: string;
  /** for the report of the build */
  readonly remarks: readonly string[];
}

const largestFileBytes = 16 * 1024 * 1024;

/** undefined without a file. Throws BuildRefused that says which list cannot be used, and why. */
export async function readSigners(files: SignerFiles, { PATH }: GitEnvironment): Promise<Signers | undefined> {
  const ssh = await readList(files.ssh, { ...sshLists, path: PATH });
  const openpgp = await readList(files.openpgp, { ...openPgpLists, path: PATH });
  const found = [ssh, openpgp].filter((list) => list !== undefined);
  if (found.length === 0) return undefined;
  return {
    ssh,
    openpgp,
    digest: digestOf(JSON.stringify([ssh?.digest, openpgp?.digest])).slice(0, 32),
    remarks: found.flatMap(({ remark }) => remark ?? []),
  };
}

interface ListKind {
  readonly setting: string;
  readonly variable: string;
  readonly program: string;
  readonly debian: string;
  /** what is wrong with the content */
  readonly fault: (bytes: Buffer) => string | undefined;
}

const sshLists: ListKind = {
  setting: 'signers',
  variable: 'LIBRETTO_SIGNERS',
  program: 'ssh-keygen',
  debian: 'openssh-client',
  fault: sshFault,
};

const openPgpLists: ListKind = {
  setting: 'signersKeyring',
  variable: 'LIBRETTO_SIGNERS_KEYRING',
  program: 'gpg',
  debian: 'gpg',
  fault: openPgpFault,
};

type ParsedKeyList = KeyList & { readonly digest: string; readonly remark: string | undefined };

async function readList(
  file: string | undefined,
  { path, ...kind }: ListKind & { readonly path: string | undefined },
): Promise<ParsedKeyList | undefined> {
  if (file === undefined) return undefined;
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw unusable(file, kind, messageOf(cause), cause);
  });
  const fault = bytes.length > largestFileBytes ? 'it is larger than 16 MiB' : kind.fault(bytes);
  if (fault !== undefined) throw unusable(file, kind, fault);
  const canVerify = hasProgram(kind.program, path ?? '');
  return { file, canVerify, digest: digestOf(bytes), remark: canVerify ? undefined : withoutProgram(file, kind) };
}

/** ends each line of ALLOWED SIGNERS in ssh-keygen(1), before the comment */
const sshKey = /[ \t](?:ssh-|ecdsa-sha2-|sk-ssh-|sk-ecdsa-)[\w@.-]+[ \t]+AAAA[\w+/]{20,}={0,3}(?:[ \t]|$)/;

function sshFault(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return 'it is not UTF-8';
  const faulty = bytes
    .toString('utf8')
    .split(/\r?\n/)
    .flatMap((line, at) => (/^[ \t]*(?:#|$)/.test(line) || sshKey.test(line) ? [] : [at + 1]));
  if (faulty.length === 0) return undefined;
  return (
    `line ${faulty.slice(0, 20).join(', ')} ${faulty.length === 1 ? 'has' : 'have'} no SSH key. A line is ` +
    '`NAME KEYTYPE KEY`, as in `ann@example.org ssh-ed25519 AAAA…`'
  );
}

/** The first packet of an export is a public key (RFC 9580, tag 6), in the old or the new format. */
const publicKeyPackets: readonly number[] = [0x98, 0x99, 0x9a, 0xc6];

function openPgpFault(bytes: Buffer): string | undefined {
  const isArmored = bytes.toString('latin1', 0, 4096).includes('-----BEGIN PGP PUBLIC KEY BLOCK-----');
  return isArmored || publicKeyPackets.includes(bytes[0] ?? 0)
    ? undefined
    : 'it has no OpenPGP public key. `gpg --export KEY…` writes such a file';
}

function unusable(file: string, { setting, variable }: ListKind, reason: string, cause?: unknown): BuildRefused {
  return new BuildRefused(
    `${file} cannot be used as the list of known signers: ${reason}. Nothing was published. Correct the file, or ` +
      `remove \`${setting}\` from libretto.json (${variable}).`,
    { cause },
  );
}

function withoutProgram(file: string, { program, debian }: ListKind): string {
  return (
    `${program} was not found, so no signature of a new tag was compared with ${file}. Install it (Debian: apt install ` +
    `${debian}) or put it on the PATH. The next build compares what this one could not.`
  );
}

function hasProgram(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}
