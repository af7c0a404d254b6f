// A git repository as a source: on this disk (a work tree's root or a bare one) or behind a URL. Refs are compared
// first; only when one has moved is anything else loaded at all, so that an unchanged repository costs a few system
// calls, or one `git ls-remote`. Nothing is ever checked out, no hook, filter, submodule or LFS object is run or
// fetched.

import { existsSync } from 'node:fs';

import type { JsonValue } from '../../contract/json.ts';
import type { Scan, Source, SourceMemory } from '../release.ts';
import { findGitDirectory, type GitDirectory } from './git-directory.ts';
import type { GitEnvironment } from './git-environment.ts';
import { GitFailure, noCommits } from '../git-failure.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, hasRefs, type Refs } from './refs.ts';
import type { RemoteMirror } from './remote-mirror.ts';
import { describePatterns, selectRefs, variantOf, type GitSelection, type SelectRefs } from './selection.ts';

export interface GitSourceOptions extends GitSelection {
  readonly location:
    | { readonly kind: 'path'; readonly path: string }
    | { readonly kind: 'url'; readonly url: string; readonly now: () => Date };
  /**
   * where copies of remote repositories are kept, each in a folder of its own, and what an archive of git's needs for a
   * moment
   */
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

type RemoteLocation = Extract<GitSourceOptions['location'], { readonly kind: 'url' }>;

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

/**
 * Gives `failed` for whatever makes the whole repository unusable; reading releases later throws QuarantineError, or
 * GitFailure if git itself goes away.
 */
export function createGitSource(options: GitSourceOptions): Source {
  const { location } = options;
  const state: OpenState = { remarks: undefined, close: undefined, broken: false };
  let remote: RemoteMirror | undefined;
  const mirrorOf = async ({ url, now }: RemoteLocation): Promise<RemoteMirror> =>
    (remote ??= (await import('./remote-mirror.ts')).createRemoteMirror(url, { ...options, now }));
  const contextFor = async (previous: SourceMemory | undefined): Promise<ScanContext> => {
    const variant = variantOf(options);
    return {
      options,
      previous,
      select: await selectRefs(options),
      fingerprint: (refs) => fingerprintOf(refs, variant),
      state,
    };
  };
  return {
    ...(location.kind === 'path'
      ? {}
      : {
          async fetch(previous) {
            const [mirror, { select, fingerprint }] = await Promise.all([mirrorOf(location), contextFor(previous)]);
            await mirror.fetch(select, (refs) => fingerprint(select(refs)) === previous?.fingerprint);
          },
        }),
    async scan(previous) {
      try {
        const context = await contextFor(previous);
        return await (location.kind === 'path'
          ? scanPath(location.path, context)
          : scanFetched(await mirrorOf(location), context));
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
    throw new GitFailure(
      existsSync(path)
        ? `${path} is not a git repository: name a work tree's root or a bare repository.`
        : `${path} does not exist.`,
    );
  }
  const all =
    readRefFiles(directory) ?? (await (await import('./list-refs.ts')).listRefs(directory, environment, timeoutMs));
  if (!hasRefs(all)) throw noCommits();
  const refs = context.select(all);
  if (context.fingerprint(refs) === context.previous?.fingerprint) return { outcome: 'unchanged' };
  return readRepository({ refs, directory }, context);
}

/** Decides from the last snapshot, which another process may have replaced since this source fetched. */
async function scanFetched(remote: RemoteMirror, context: ScanContext): Promise<Scan> {
  const { state, select, fingerprint, previous } = context;
  await state.close?.();
  state.close = undefined;
  const found = remote.find((refs) => fingerprint(select(refs)) === previous?.fingerprint);
  if (found.outcome !== 'found') return found;
  const { copy, refs } = found.snapshot;
  const scan = await readRepository({ refs: select(refs), directory: { own: copy, common: copy } }, context, () =>
    remote.discard(copy),
  );
  // A copy's broken objects say nothing of the remote: they are held against a version once a new copy has them too.
  return state.broken && remote.renew(copy) ? { outcome: 'unfetched' } : scan;
}

async function readRepository(
  { refs, directory }: Repository,
  { options, previous, fingerprint, state }: ScanContext,
  discard?: () => void,
): Promise<Scan> {
  if (!hasRefs(refs)) throw new GitFailure(`No tag or branch is matched by ${describePatterns(options)}.`);
  const [
    { openObjects },
    { ScratchRepositories },
    { readVersions },
    { LfsPointers },
    { formatGitMemory, parseGitMemory },
  ] = await Promise.all([
    import('./object-store.ts'),
    import('./scratch-repository.ts'),
    import('./read-versions.ts'),
    import('./lfs-pointers.ts'),
    import('./outcome.ts'),
  ]);
  const { environment, timeoutMs, cacheDirectory, location, referenceSource } = options;
  const store = openObjects(directory.own, options);
  const pointers = new LfsPointers(store);
  state.remarks = () => pointers.describe();
  const scratch = new ScratchRepositories(cacheDirectory);
  state.close = async () => {
    await Promise.all([store.close(), scratch.close()]);
    if (store.sawBroken) discard?.();
  };
  const { releases, former, quarantined, notices, memory } = await readVersions(
    refs,
    store,
    parseGitMemory(parseDetail(previous?.detail)),
    {
      selection: options,
      pointers,
      access: { directory, environment, timeoutMs, scratch },
      sourceUrl: referenceSource === 'include' && location.kind === 'url' ? location.url : undefined,
    },
  );
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0)
    throw new GitFailure(
      `There is no version to publish: ${notices.at(-1) ?? 'no tag or branch has a composer.json'}.`,
    );
  // Broken objects may be mended without a ref moving: this fingerprint equals none.
  return {
    outcome: 'read',
    releases,
    former,
    quarantined,
    notices,
    memory: {
      fingerprint: `${fingerprint(refs)}${state.broken ? ' incomplete' : ''}`,
      detail: JSON.stringify(formatGitMemory(memory)),
    },
  };
}

/**
 * Kept as text: only what has changed needs the rows, and in memory they take many times its room. undefined for what
 * is no such text.
 */
function parseDetail(detail: JsonValue | undefined): JsonValue | undefined {
  try {
    return typeof detail === 'string' ? (JSON.parse(detail) as JsonValue) : undefined;
  } catch {
    // Not ours, or damaged: everything is then read again.
    return undefined;
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof GitFailure) return error.message;
  if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
    return `The user who runs the build may not read it: ${error.message}`;
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
