// Who uploaded and who approved the versions of a package, and in which CI job, as `libretto why` says it. The state knows
// them, not the tree.

import { contentKey } from '../../build/contract/withdrawal-cause.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { WhyVersion, WhyAnswer } from '../../build/contract/why.ts';
import type { PublishedFrom } from '../../proxy/artifacts/published-from.ts';
import { readArtifactOf } from '../../proxy/artifacts/read-published-from.ts';
import { withNames } from '../../proxy/policy/admin/with-names.ts';
import { decidersOf } from '../../proxy/policy/judge/held-releases.ts';
import { isAbout, storedDecisions } from '../../proxy/policy/records/review-decisions.ts';
import type { Config } from '../config/config.ts';
import { openStateIfAny } from '../state/open-state.ts';

export interface PublishedBy {
  /** null: no trusted publisher published it */
  readonly published_by: PublishedFrom | null;
  /** null: it was not uploaded */
  readonly uploaded_by: string | null;
  /** who approved it, as it was held or staged; null: nobody */
  readonly approved_by: string | null;
}

/** By `contentKey` of a version. */
export type Runs = ReadonlyMap<string, PublishedBy>;

const unknown: PublishedBy = { published_by: null, uploaded_by: null, approved_by: null };

/** Rejects with StateError. */
export async function runsOf({ name, versions }: Pick<WhyAnswer, 'name' | 'versions'>, config: Config): Promise<Runs> {
  const state = versions.length === 0 ? undefined : await openStateIfAny(config);
  if (state === undefined) return new Map();
  try {
    const decisions = await storedDecisions(state)();
    const named = async (actor: string | undefined): Promise<string | null> =>
      actor === undefined ? null : withNames(state, { kind: 'operator', actor: 'cli:' }, actor);
    const found = versions.map(async (content) => {
      const { version, reference } = content;
      const normalized = normalizeVersion(version) ?? version;
      const upload = await readArtifactOf(state, { name, version_normalized: normalized, reference });
      const decision = decisions.findLast((one) => isAbout(one, { name, normalized, reference }));
      const by: PublishedBy = {
        published_by: upload?.published_from ?? null,
        uploaded_by: await named(upload?.created_by),
        approved_by: await named(decision?.decision === 'approved' ? decidersOf(decision) : undefined),
      };
      return [contentKey(content), by] as const;
    });
    return new Map(await Promise.all(found));
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

/** The versions as the document has them. */
export function withRuns<Version extends Pick<WhyVersion, 'version' | 'reference'>>(
  versions: readonly Version[],
  runs: Runs,
): readonly (Version & PublishedBy)[] {
  return versions.map((content) => ({ ...content, ...(runs.get(contentKey(content)) ?? unknown) }));
}
