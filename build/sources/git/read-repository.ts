// Reads all versions of a repository. A build loads this module only for a repository with changed refs.

import type { JsonValue } from '../../contract/json.ts';
import { GitFailure } from '../git-failure.ts';
import type { Scan } from '../release.ts';
import { monorepoAdvice } from './find-monorepo.ts';
import { LfsPointers } from './lfs-pointers.ts';
import { openObjects } from './object-store.ts';
import { formatGitMemory, parseGitMemory } from './outcome.ts';
import { readVersions, type ReadOptions } from './read-versions.ts';
import { hasRefs } from './refs.ts';
import type { GitSourceOptions, OpenRepository, Repository, ScanContext } from './scan-context.ts';
import { unreleasedNotices } from './release-notices.ts';
import { ScratchRepositories } from './scratch-repository.ts';
import { describePatterns } from './selection.ts';
import type { TagVerifier } from './tag-verifier.ts';

/** `discard` deletes the copy of a remote repository. Throws GitFailure and FetchNeeded. */
export async function readRepository(
  { refs, directory }: Repository,
  { options, previous, fingerprint, state }: ScanContext,
  discard?: () => void,
): Promise<Scan> {
  if (!hasRefs(refs)) throw new GitFailure(`No tag or branch matches ${describePatterns(options)}.`);
  const { environment, timeoutMs, cacheDirectory, location, referenceSource } = options;
  const store = openObjects(directory.own, options);
  const pointers = new LfsPointers(store);
  const verifier = await openVerifier(directory.own, options);
  state.remarks = () => [...pointers.describe(), ...(verifier?.remarks() ?? [])];
  const scratch = new ScratchRepositories(cacheDirectory);
  state.close = async () => {
    await Promise.all([store.close(), scratch.close(), verifier?.close()]);
    if (store.sawBroken) discard?.();
  };
  const versions = await readVersions(refs, store, parseGitMemory(parseDetail(previous?.detail)), {
    selection: options,
    pointers,
    access: { directory, environment, timeoutMs, scratch },
    signatures: verifier && { store, verifier },
    ...distsFor(options, state),
    sourceUrl: referenceSource === 'include' && location.kind === 'url' ? location.url : undefined,
  });
  const { releases, former, quarantined, notices, memory, unsettled } = versions;
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0)
    throw nothingToPublish(notices, await monorepoAdvice(store, refs, options));
  // A repair of broken objects moves no ref, nor does an installation of ssh-keygen or a dist that comes back: the
  // fingerprint must differ from every later one.
  return {
    outcome: 'read',
    releases,
    former,
    quarantined,
    notices: [...notices, ...unreleasedNotices(versions, options)],
    memory: {
      fingerprint: `${fingerprint(refs)}${state.broken || unsettled > 0 ? ' incomplete' : ''}`,
      detail: JSON.stringify(formatGitMemory(memory)),
    },
  };
}

function nothingToPublish(notices: readonly string[], advice: string): GitFailure {
  const reason = notices.at(-1) ?? 'no tag or branch has a composer.json';
  return new GitFailure(`There is no version to publish: ${reason}.${advice}`);
}

function distsFor(
  { downloads, location }: GitSourceOptions,
  state: OpenRepository,
): Pick<ReadOptions, 'repository' | 'openDists'> {
  if (downloads === undefined) return { repository: undefined, openDists: undefined };
  return {
    repository: location.kind === 'url' ? location.url : location.path,
    openDists: async () => (state.dists ??= (await import('./fetched-dists.ts')).openFetchedDists(downloads)),
  };
}

/** undefined: the registry knows no signers. A build loads the module only with signers. */
async function openVerifier(
  gitDirectory: string,
  { signers, environment, timeoutMs }: GitSourceOptions,
): Promise<TagVerifier | undefined> {
  if (signers === undefined) return undefined;
  const { createTagVerifier } = await import('./tag-verifier.ts');
  return createTagVerifier({ signers, gitDirectory, environment, timeoutMs });
}

/**
 * The detail stays a text until a repository has changed, since its parsed rows need many times the memory. Gives
 * undefined for any other value.
 */
function parseDetail(detail: JsonValue | undefined): JsonValue | undefined {
  try {
    return typeof detail === 'string' ? (JSON.parse(detail) as JsonValue) : undefined;
  } catch {
    // A foreign or damaged text: the scan reads all versions again.
    return undefined;
  }
}
