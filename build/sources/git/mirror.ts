// The local copy of a remote repository: bare, holds its branches and tags under their own names, and can be deleted at any time. The
// remote's refs are asked for first; nothing is fetched while they are as the copy has them.

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';

import { findGitDirectory } from './git-directory.ts';
import { remoteEnvironment, type GitEnvironment } from './git-environment.ts';
import { GitFailure } from './git-failure.ts';
import type { GitUrl } from './git-url.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, isObjectId, sortRefs, type Head, type Refs } from './refs.ts';
import { runGit } from './run-git.ts';

export interface MirrorOptions {
  readonly remote: GitUrl;
  /** of the copy; need not exist */
  readonly directory: string;
  readonly environment: GitEnvironment;
  /** for each of asking and fetching */
  readonly timeoutMs: number;
}

/** HEAD, branches and tags as the remote has them now. Throws GitFailure. */
export async function askRemote(options: MirrorOptions): Promise<Refs> {
  const environment = remoteEnvironment(options.environment, undefined, options.remote.protocols);
  const operands = ['ls-remote', '--symref', '--', options.remote.url, 'HEAD', 'refs/heads/*', 'refs/tags/*'];
  const { output } = await runGit({ operands, environment, timeoutMs: options.timeoutMs });
  return parseAnswer(output.toString('latin1'));
}

/** Brings the copy to what the remote has now, and gives its refs: `asked`, unless the remote has moved in between. Throws GitFailure. */
export async function updateMirror(options: MirrorOptions, asked: Refs): Promise<Refs> {
  if (fingerprintOf(readMirror(options.directory, asked.head) ?? { ...asked, tags: [], branches: [] }) === fingerprintOf(asked)) return asked;
  try {
    await fetchInto(options);
  } catch (error) {
    // A copy left by a kill may have stale locks or half an object store: the remote answered, so a fresh copy is worth one more try.
    if (!(error instanceof GitFailure) || !existsSync(options.directory)) throw error;
    await removeMirror(options.directory);
    await fetchInto(options);
  }
  const fetched = readMirror(options.directory, asked.head);
  if (fetched === undefined) throw new GitFailure(`The copy of ${options.remote.url} could not be read after fetching.`);
  return fetched;
}

export async function removeMirror(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

function readMirror(directory: string, head: Head): Refs | undefined {
  const found = findGitDirectory(directory);
  const refs = found === undefined ? undefined : readRefFiles(found);
  return refs === undefined ? undefined : { ...refs, head };
}

/** No tags but those asked for, no submodules, no FETCH_HEAD, no packing on the side; and no hook (git-environment.ts). */
async function fetchInto({ remote, directory, environment, timeoutMs }: MirrorOptions): Promise<void> {
  const shared = { environment: remoteEnvironment(environment, directory, remote.protocols), timeoutMs };
  if (findGitDirectory(directory) === undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await runGit({ ...shared, operands: ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', directory] });
  }
  const flags = ['--quiet', '--prune', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'];
  await runGit({ ...shared, operands: ['fetch', ...flags, '--', remote.url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'] });
  await runGit({ ...shared, operands: ['pack-refs', '--all'] });
  await runGit({ ...shared, operands: [...tidyOptions, 'gc', '--auto', '--quiet'] });
}

/** Packs the copy once many fetches have left many pieces, before anything reads it. */
const tidyOptions = ['-c', 'gc.auto=3000', '-c', 'gc.autoPackLimit=30', '-c', 'gc.autoDetach=false'] as const;

/** `ref: refs/heads/main\tHEAD`, `<oid>\t<ref>`, and `<oid>\t<tag>^{}` for what an annotated tag points at. */
function parseAnswer(text: string): Refs {
  const oids = new Map<string, string>();
  const peeled = new Map<string, string>();
  let head: Head | undefined;
  for (const line of text.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/')) head = { branch: value.slice(16) };
    else if (isObjectId(value) && name.endsWith('^{}')) peeled.set(name.slice(0, -3), value);
    else if (isObjectId(value)) oids.set(name, value);
  }
  const refs = sortRefs(head ?? { unknown: true }, Array.from(oids, ([name, oid]) => [name, oid, peeled.get(name)] as const));
  return head === undefined ? { ...refs, head: guessHead(refs, oids.get('HEAD')) } : refs;
}

/** A server that does not say which branch HEAD is: the one at the same commit, the usual names first. */
function guessHead(refs: Refs, oid: string | undefined): Head {
  const at = refs.branches.filter((branch) => branch.oid === oid);
  const branch = at.find(({ name }) => name === 'master') ?? at.find(({ name }) => name === 'main') ?? at[0];
  return branch === undefined ? { unknown: true } : { branch: branch.name };
}
