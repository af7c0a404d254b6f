// A git repository as a source: on this disk (a work tree's root or a bare one) or behind a URL. Refs are compared first; only when one has
// moved is anything else loaded at all, so that an unchanged repository costs a few system calls, or one `git ls-remote`.
// Nothing is ever checked out, no hook, filter, submodule or LFS object is run or fetched.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Scan, Source, SourceMemory } from '../release.ts';
import { findGitDirectory } from './git-directory.ts';
import type { GitEnvironment } from './git-environment.ts';
import { GitFailure } from './git-failure.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, type Refs } from './refs.ts';

export interface GitSourceOptions {
  readonly location: { readonly kind: 'path'; readonly path: string } | { readonly kind: 'url'; readonly url: string };
  /** where copies of remote repositories are kept; each has its own folder in there. Not used for a path. */
  readonly cacheDirectory: string;
  /** for asking a remote, for fetching, and how long git may be silent while it reads objects */
  readonly timeoutMs: number;
  readonly environment: GitEnvironment;
}

/** A repository whose refs are known and whose objects can be read. */
interface Repository {
  readonly refs: Refs;
  /** GIT_DIR */
  readonly directory: string;
}

/** Gives `failed` for whatever makes the whole repository unusable; reading releases later throws QuarantineError, or GitFailure if git itself goes away. */
export function createGitSource(options: GitSourceOptions): Source {
  const state: OpenState = { close: undefined, broken: false };
  return {
    async scan(previous) {
      try {
        return options.location.kind === 'path' ? await scanPath(options, options.location.path, previous, state) : await scanUrl(options, options.location.url, previous, state);
      } catch (error) {
        return { outcome: 'failed', reason: describeFailure(error) };
      }
    },
    async close() {
      await state.close?.();
    },
  };
}

interface OpenState {
  close: (() => Promise<void>) | undefined;
  /** the last scan met broken objects */
  broken: boolean;
}

async function scanPath(options: GitSourceOptions, path: string, previous: SourceMemory | undefined, state: OpenState): Promise<Scan> {
  const directory = findGitDirectory(path);
  if (directory === undefined) {
    throw new GitFailure(existsSync(path) ? `${path} is not a git repository: name a work tree's root or a bare repository.` : `${path} does not exist.`);
  }
  const refs = readRefFiles(directory) ?? (await (await import('./list-refs.ts')).listRefs(directory, options.environment, options.timeoutMs));
  if (fingerprintOf(refs) === previous?.fingerprint) return { outcome: 'unchanged' };
  return readRepository({ refs, directory: directory.own }, options, previous, state);
}

async function scanUrl(options: GitSourceOptions, url: string, previous: SourceMemory | undefined, state: OpenState): Promise<Scan> {
  const [{ parseGitUrl }, mirror] = await Promise.all([import('./git-url.ts'), import('./mirror.ts')]);
  const remote = parseGitUrl(url);
  if ('refusal' in remote) throw new GitFailure(remote.refusal);
  const directory = join(options.cacheDirectory, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`);
  const mirrorOptions = { remote, directory, environment: options.environment, timeoutMs: options.timeoutMs };
  const asked = await mirror.askRemote(mirrorOptions);
  if (fingerprintOf(asked) === previous?.fingerprint) return { outcome: 'unchanged' };
  const copy = async (): Promise<Repository> => ({ refs: hasRefs(asked) ? await mirror.updateMirror(mirrorOptions, asked) : asked, directory });
  const mend = (): Promise<void> => mirror.removeMirror(directory);
  const scan = await readRepository(await copy(), options, previous, state, mend);
  if (!state.broken) return scan;
  // A copy's broken objects say nothing of the remote: copy once more before anything is held against a version.
  await state.close?.();
  return readRepository(await copy(), options, previous, state, mend);
}

async function readRepository(repository: Repository, options: GitSourceOptions, previous: SourceMemory | undefined, state: OpenState, mend?: () => Promise<void>): Promise<Scan> {
  const { refs, directory } = repository;
  if (!hasRefs(refs)) throw new GitFailure('The repository has no commits yet: it has neither tags nor branches.');
  const [{ openObjects }, { readVersions }, { formatGitMemory, parseGitMemory }] = await Promise.all([import('./open-objects.ts'), import('./read-versions.ts'), import('./outcome.ts')]);
  const store = openObjects(directory, options);
  state.close = async () => {
    await store.close();
    if (store.sawBroken) await mend?.();
  };
  const { releases, quarantined, notices, memory } = await readVersions(refs, store, parseGitMemory(previous?.detail));
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0) throw new GitFailure(`There is no version to publish: ${notices.at(-1) ?? 'no tag or branch has a composer.json'}.`);
  // Broken objects may be mended without a ref moving: this fingerprint equals none.
  const fingerprint = state.broken ? `${fingerprintOf(refs)} incomplete` : fingerprintOf(refs);
  return { outcome: 'read', releases, quarantined, notices, memory: { fingerprint, detail: formatGitMemory(memory) } };
}

function hasRefs(refs: Refs): boolean {
  return refs.tags.length > 0 || refs.branches.length > 0;
}

function describeFailure(error: unknown): string {
  if (error instanceof GitFailure) return error.message;
  if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')) return `The user who runs the build may not read it: ${error.message}`;
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
