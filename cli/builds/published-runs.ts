// The CI jobs that published versions of a package, as `libretto why` says it. The state knows them, not the tree.

import { contentKey } from '../../build/contract/withdrawal-cause.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { WhyVersion, WhyAnswer } from '../../build/contract/why.ts';
import type { PublishedFrom } from '../../proxy/artifacts/published-from.ts';
import { readPublishedFrom } from '../../proxy/artifacts/read-published-from.ts';
import type { Config } from '../config/config.ts';
import { openStateIfAny } from '../state/open-state.ts';

/** `contentKey` of a version → the job that published it. */
export type Runs = ReadonlyMap<string, PublishedFrom>;

/** Rejects with StateError. */
export async function runsOf({ name, versions }: Pick<WhyAnswer, 'name' | 'versions'>, config: Config): Promise<Runs> {
  const state = versions.length === 0 ? undefined : await openStateIfAny(config);
  if (state === undefined) return new Map();
  try {
    const found = await Promise.all(
      versions.map(async (content): Promise<readonly (readonly [string, PublishedFrom])[]> => {
        const { version, reference } = content;
        const version_normalized = normalizeVersion(version) ?? version;
        const run = await readPublishedFrom(state, { name, version_normalized, reference });
        return run === undefined ? [] : [[contentKey(content), run]];
      }),
    );
    return new Map(found.flat());
  } finally {
    await state.close();
  }
}

/** `acme/app, refs/tags/v1.2.0, commit 0123abcd, https://github.com/acme/app/actions/runs/4711` */
export function runText({ repository, run_id: id, run_url: url, ref, commit }: PublishedFrom): string {
  return [
    repository ?? 'an unknown repository',
    ref,
    commit === null ? null : `commit ${commit}`,
    url ?? (id === null ? null : `run ${id}`),
  ]
    .filter(Boolean)
    .join(', ');
}

/** The versions as the document has them: `published_by` is null where no job of a trusted publisher published them. */
export function withRuns<Version extends Pick<WhyVersion, 'version' | 'reference'>>(
  versions: readonly Version[],
  runs: Runs,
): readonly (Version & { readonly published_by: PublishedFrom | null })[] {
  return versions.map((content) => ({ ...content, published_by: runs.get(contentKey(content)) ?? null }));
}
