// Reads all versions of a repository. A build loads this module only for a repository with changed refs.

import type { JsonValue } from '../../contract/json.ts';
import { GitFailure } from '../git-failure.ts';
import type { Scan } from '../release.ts';
import { LfsPointers } from './lfs-pointers.ts';
import { openObjects } from './object-store.ts';
import { formatGitMemory, parseGitMemory } from './outcome.ts';
import { readVersions } from './read-versions.ts';
import { hasRefs } from './refs.ts';
import type { Repository, ScanContext } from './scan-context.ts';
import { unreleasedNotices } from './release-notices.ts';
import { ScratchRepositories } from './scratch-repository.ts';
import { describePatterns } from './selection.ts';

/** `discard` deletes the copy of a remote repository. Throws GitFailure. */
export async function readRepository(
  { refs, directory }: Repository,
  { options, previous, fingerprint, state }: ScanContext,
  discard?: () => void,
): Promise<Scan> {
  if (!hasRefs(refs)) throw new GitFailure(`No tag or branch matches ${describePatterns(options)}.`);
  const { environment, timeoutMs, cacheDirectory, location, referenceSource } = options;
  const store = openObjects(directory.own, options);
  const pointers = new LfsPointers(store);
  state.remarks = () => pointers.describe();
  const scratch = new ScratchRepositories(cacheDirectory);
  state.close = async () => {
    await Promise.all([store.close(), scratch.close()]);
    if (store.sawBroken) discard?.();
  };
  const versions = await readVersions(refs, store, parseGitMemory(parseDetail(previous?.detail)), {
    selection: options,
    pointers,
    access: { directory, environment, timeoutMs, scratch },
    sourceUrl: referenceSource === 'include' && location.kind === 'url' ? location.url : undefined,
  });
  const { releases, former, quarantined, notices, memory } = versions;
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0)
    throw new GitFailure(
      `There is no version to publish: ${notices.at(-1) ?? 'no tag or branch has a composer.json'}.`,
    );
  // A repair of broken objects moves no ref, so the fingerprint must differ from every later one.
  return {
    outcome: 'read',
    releases,
    former,
    quarantined,
    notices: [...notices, ...unreleasedNotices(versions, options)],
    memory: {
      fingerprint: `${fingerprint(refs)}${state.broken ? ' incomplete' : ''}`,
      detail: JSON.stringify(formatGitMemory(memory)),
    },
  };
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
