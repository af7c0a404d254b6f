// A git repository as a source: on this disk (a work tree's root or a bare repository) or behind a URL. A scan compares
// refs first, and loads all other modules only after a ref has moved. An unchanged repository costs a few system calls,
// or one `git ls-remote`. Libretto checks out no files, runs no hook or filter, and fetches no submodule or LFS object.

import { existsSync } from 'node:fs';

import { FetchNeeded } from '../../contract/refusals.ts';
import type { Scan, Source, SourceMemory } from '../release.ts';
import { findGitDirectory } from './git-directory.ts';
import { GitFailure, noCommits } from '../git-failure.ts';
import { homeAdvice } from '../root-folder.ts';
import { readRefFiles } from './ref-files.ts';
import { fingerprintOf, hasRefs } from './refs.ts';
import type { RemoteMirror } from './remote-mirror.ts';
import type { GitSourceOptions, OpenRepository, ScanContext } from './scan-context.ts';
import { selectRefs, variantOf } from './selection.ts';

type RemoteLocation = Extract<GitSourceOptions['location'], { readonly kind: 'url' }>;

/**
 * A scan returns `failed` if the complete repository is unusable. Reading a release later throws QuarantineError, or
 * GitFailure if git itself fails.
 */
export function createGitSource(options: GitSourceOptions): Source {
  const { location } = options;
  const state: OpenRepository = { remarks: undefined, close: undefined, dists: undefined, broken: false };
  let remote: RemoteMirror | undefined;
  const mirrorOf = async ({ url, now }: RemoteLocation): Promise<RemoteMirror> =>
    (remote ??= (await import('./remote-mirror.ts')).createRemoteMirror(url, { ...options, now }));
  return {
    async fetch(previous) {
      if (location.kind === 'url') {
        const [mirror, { select, fingerprint }] = await Promise.all([
          mirrorOf(location),
          contextOf(options, previous, state),
        ]);
        await mirror.fetch(select, (refs) => fingerprint(select(refs)) === previous?.fingerprint);
      }
      await state.dists?.fetch();
    },
    async scan(previous) {
      await state.close?.();
      state.close = undefined;
      try {
        const context = await contextOf(options, previous, state);
        return await (location.kind === 'path'
          ? scanPath(location.path, context)
          : scanFetched(await mirrorOf(location), context));
      } catch (error) {
        if (error instanceof FetchNeeded) return { outcome: 'unfetched' };
        return { outcome: 'failed', reason: describeFailure(error) };
      }
    },
    remarks: () => state.remarks?.() ?? [],
    async close() {
      await Promise.all([state.close?.(), state.dists?.close()]);
    },
  };
}

async function contextOf(
  options: GitSourceOptions,
  previous: SourceMemory | undefined,
  state: OpenRepository,
): Promise<ScanContext> {
  const { signers } = options;
  const variant = `${variantOf(options)}${signers === undefined ? '' : ` signers ${signers.digest}`}`;
  return {
    options,
    previous,
    select: await selectRefs(options),
    fingerprint: (refs) => fingerprintOf(refs, variant),
    state,
  };
}

async function scanPath(path: string, context: ScanContext): Promise<Scan> {
  const { environment, timeoutMs } = context.options;
  const directory = findGitDirectory(path);
  if (directory === undefined) {
    throw new GitFailure(
      existsSync(path)
        ? `${path} is not a git repository: name a work tree's root or a bare repository.`
        : `${path} does not exist.${homeAdvice(path)}`,
    );
  }
  const all =
    readRefFiles(directory) ?? (await (await import('./list-refs.ts')).listRefs(directory, environment, timeoutMs));
  if (!hasRefs(all)) throw noCommits();
  const refs = context.select(all);
  if (context.fingerprint(refs) === context.previous?.fingerprint) return { outcome: 'unchanged' };
  return (await import('./read-repository.ts')).readRepository({ refs, directory }, context);
}

/** Reads the last snapshot. Another process may have replaced the snapshot after the fetch of this source. */
async function scanFetched(remote: RemoteMirror, context: ScanContext): Promise<Scan> {
  const { state, select, fingerprint, previous } = context;
  const found = remote.find((refs) => fingerprint(select(refs)) === previous?.fingerprint);
  if (found.outcome !== 'found') return found;
  const { copy, refs } = found.snapshot;
  const { readRepository } = await import('./read-repository.ts');
  const scan = await readRepository({ refs: select(refs), directory: { own: copy, common: copy } }, context, () =>
    remote.discard(copy),
  );
  // Broken objects may be a fault of the copy alone, so versions are quarantined only after a new copy has them too.
  return state.broken && remote.renew(copy) ? { outcome: 'unfetched' } : scan;
}

function describeFailure(error: unknown): string {
  if (error instanceof GitFailure) return error.message;
  if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
    return `The user who runs the build may not read it: ${error.message}`;
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
