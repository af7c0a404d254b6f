// A git repository as a source: on this disk (a work tree's root or a bare one) or behind a URL. Refs are compared first; only when one has
// moved is anything else loaded at all, so that an unchanged repository costs a few system calls, or one `git ls-remote`.
// Nothing is ever checked out, no hook, filter, submodule or LFS object is run or fetched.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonValue } from '../../contract/json.ts';
import type { Scan, Source, SourceMemory } from '../release.ts';
import { findGitDirectory, type GitDirectory } from './git-directory.ts';
import type { GitEnvironment } from './git-environment.ts';
import { GitFailure } from './git-failure.ts';
import { mirrorName } from './mirror-name.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, type Refs } from './refs.ts';
import { describePatterns, selectRefs, variantOf, type GitSelection, type SelectRefs } from './selection.ts';

export interface GitSourceOptions extends GitSelection {
  readonly location: { readonly kind: 'path'; readonly path: string } | { readonly kind: 'url'; readonly url: string };
  /** where copies of remote repositories are kept, each in a folder of its own, and what an archive of git's needs for a moment */
  readonly cacheDirectory: string;
  /** for fetching, and how long git may be silent while it reads objects */
  readonly timeoutMs: number;
  /** for asking a remote what it has; default: as for fetching */
  readonly askingTimeoutMs?: number | undefined;
  /** of the copy of a remote repository; default 4 GiB */
  readonly maxBytes?: number | undefined;
  readonly environment: GitEnvironment;
  /** ends whatever asks a remote or fetches from it */
  readonly stop?: AbortSignal | undefined;
}

const defaultMaxBytes = 4 * 1024 * 1024 * 1024;

/** A repository whose refs are known and whose objects can be read. */
interface Repository {
  /** those that the options take */
  readonly refs: Refs;
  readonly directory: GitDirectory;
}

interface OpenState {
  /** what was found while archives were made */
  remarks: (() => readonly string[]) | undefined;
  close: (() => Promise<void>) | undefined;
  /** the last scan met broken objects */
  broken: boolean;
}

/** What one scan works with. */
interface ScanContext {
  readonly options: GitSourceOptions;
  readonly previous: SourceMemory | undefined;
  readonly select: SelectRefs;
  readonly fingerprint: (refs: Refs) => string;
  readonly state: OpenState;
}

/** Gives `failed` for whatever makes the whole repository unusable; reading releases later throws QuarantineError, or GitFailure if git itself goes away. */
export function createGitSource(options: GitSourceOptions): Source {
  const state: OpenState = { remarks: undefined, close: undefined, broken: false };
  return {
    async scan(previous) {
      const { location } = options;
      try {
        const variant = variantOf(options);
        const context: ScanContext = { options, previous, select: await selectRefs(options), fingerprint: (refs) => fingerprintOf(refs, variant), state };
        return location.kind === 'path' ? await scanPath(location.path, context) : await scanUrl(location.url, context);
      } catch (error) {
        return { outcome: 'failed', reason: describeFailure(error) };
      }
    },
    remarks: () => state.remarks?.() ?? [],
    async close() {
      await state.close?.();
    },
  };
}

async function scanPath(path: string, context: ScanContext): Promise<Scan> {
  const { environment, timeoutMs } = context.options;
  const directory = findGitDirectory(path);
  if (directory === undefined) {
    throw new GitFailure(existsSync(path) ? `${path} is not a git repository: name a work tree's root or a bare repository.` : `${path} does not exist.`);
  }
  const all = readRefFiles(directory) ?? (await (await import('./list-refs.ts')).listRefs(directory, environment, timeoutMs));
  if (!hasRefs(all)) throw noCommits();
  const refs = context.select(all);
  if (context.fingerprint(refs) === context.previous?.fingerprint) return { outcome: 'unchanged' };
  return readRepository({ refs, directory }, context);
}

async function scanUrl(url: string, context: ScanContext): Promise<Scan> {
  const { cacheDirectory, environment, stop, timeoutMs, askingTimeoutMs = timeoutMs, maxBytes = defaultMaxBytes } = context.options;
  const [{ parseGitUrl }, { askRemote }] = await Promise.all([import('./git-url.ts'), import('./ask-remote.ts')]);
  const remote = parseGitUrl(url);
  if ('refusal' in remote) throw new GitFailure(remote.refusal);
  const directory = join(cacheDirectory, mirrorName(url));
  const mirrorOptions = { remote, directory, environment, stop, timeoutMs, maxBytes, select: context.select };
  const asked = await askRemote({ remote, environment, stop, timeoutMs: askingTimeoutMs });
  if (!hasRefs(asked)) throw noCommits();
  if (context.fingerprint(context.select(asked)) === context.previous?.fingerprint) return { outcome: 'unchanged' };
  const { removeMirror, updateMirror } = await import('./mirror.ts');
  const copy = async (): Promise<Repository> => ({ refs: await updateMirror(mirrorOptions, asked), directory: { own: directory, common: directory } });
  const mend = (): Promise<void> => removeMirror(directory);
  const scan = await readRepository(await copy(), context, mend);
  if (!context.state.broken) return scan;
  // A copy's broken objects say nothing of the remote: copy once more before anything is held against a version.
  await context.state.close?.();
  return readRepository(await copy(), context, mend);
}

async function readRepository({ refs, directory }: Repository, { options, previous, fingerprint, state }: ScanContext, mend?: () => Promise<void>): Promise<Scan> {
  if (!hasRefs(refs)) throw new GitFailure(`No tag or branch is matched by ${describePatterns(options)}.`);
  const [{ openObjects }, { ScratchRepositories }, { readVersions }, { LfsPointers }, { formatGitMemory, parseGitMemory }] = await Promise.all([import('./open-objects.ts'), import('./scratch-repository.ts'), import('./read-versions.ts'), import('./lfs-pointers.ts'), import('./outcome.ts')]);
  const { environment, timeoutMs, cacheDirectory, location, referenceSource } = options;
  const store = openObjects(directory.own, options);
  const pointers = new LfsPointers(store);
  state.remarks = () => pointers.describe();
  const scratch = new ScratchRepositories(cacheDirectory);
  state.close = async () => {
    await Promise.all([store.close(), scratch.close()]);
    if (store.sawBroken) await mend?.();
  };
  const { releases, former, quarantined, notices, memory } = await readVersions(refs, store, parseGitMemory(parseDetail(previous?.detail)), {
    selection: options,
    pointers,
    access: { directory, environment, timeoutMs, scratch },
    sourceUrl: referenceSource === 'include' && location.kind === 'url' ? location.url : undefined,
  });
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0) throw new GitFailure(`There is no version to publish: ${notices.at(-1) ?? 'no tag or branch has a composer.json'}.`);
  // Broken objects may be mended without a ref moving: this fingerprint equals none.
  return { outcome: 'read', releases, former, quarantined, notices, memory: { fingerprint: `${fingerprint(refs)}${state.broken ? ' incomplete' : ''}`, detail: JSON.stringify(formatGitMemory(memory)) } };
}

/** Kept as text: only what has changed needs the rows, and in memory they take many times its room. undefined for what is no such text. */
function parseDetail(detail: JsonValue | undefined): JsonValue | undefined {
  try {
    return typeof detail === 'string' ? (JSON.parse(detail) as JsonValue) : undefined;
  } catch {
    // Not ours, or damaged: everything is then read again.
    return undefined;
  }
}

function hasRefs(refs: Refs): boolean {
  return refs.tags.length > 0 || refs.branches.length > 0;
}

function noCommits(): GitFailure {
  return new GitFailure('The repository has no commits yet: it has neither tags nor branches.');
}

function describeFailure(error: unknown): string {
  if (error instanceof GitFailure) return error.message;
  if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')) return `The user who runs the build may not read it: ${error.message}`;
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
