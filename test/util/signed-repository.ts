// A git repository whose tags are signed with SSH keys that a test makes, as maintainers sign them with `git tag -s`.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { testGitEnvironment, type TestRepository } from './git-repository.ts';

export interface SigningKey {
  /** path of the private key */
  readonly file: string;
  /** `ssh-ed25519 AAAA…` */
  readonly publicKey: string;
}

/** Makes a key pair below `folder`. */
export function createSigningKey(folder: string, name: string): SigningKey {
  const file = join(folder, `${name}.key`);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  return { file, publicKey: readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ') };
}

export interface NewTag {
  readonly at?: string;
  /** no key: an annotated tag without a signature */
  readonly key?: SigningKey;
  /** epoch seconds */
  readonly time?: number;
  readonly force?: boolean;
}

/** Makes an annotated tag. */
export function tag({ path, gitDirectory }: TestRepository, name: string, { at, key, time, force }: NewTag = {}): void {
  const signing = key === undefined ? ['-a'] : ['-s'];
  const config = key === undefined ? [] : ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key.file}`];
  const date = time === undefined ? {} : { GIT_COMMITTER_DATE: `${time} +0000` };
  execFileSync(
    'git',
    [...config, 'tag', ...signing, ...(force === true ? ['-f'] : []), '-m', `Release ${name}`, name, at ?? 'HEAD'],
    { cwd: path, env: { ...testGitEnvironment, ...date, GIT_DIR: gitDirectory }, stdio: 'pipe' },
  );
}

/** Version → who signed it, in the serving index of a data folder. */
export function signersOf(data: string, name: string): Record<string, string | null> {
  const { versions } = JSON.parse(readFileSync(join(data, 'index', `${name}.json`), 'utf8')) as {
    versions: { version: string; signed_by?: string }[];
  };
  return Object.fromEntries(versions.map(({ version, signed_by: signer }) => [version, signer ?? null]));
}
