// What people decided about held releases: one row for each, with its audit event in the same commit (I8).

import { z } from 'zod';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { Actor, AuditedStore } from '../../state/audit.ts';
import { parseRow } from '../../state/rows.ts';
import type { ReviewDecision } from '../judge/held-releases.ts';

const prefix = 'policy/decision/';

const row = z.object({
  package: z.string(),
  version: z.string(),
  reference: z.string(),
  decision: z.enum(['approved', 'rejected']),
  by: z.string(),
  reason: z.string(),
  at: z.string(),
});

/** In the order of time; one object while the state is unchanged. Throws StateError for a malformed row. */
export function storedDecisions(
  store: Pick<StateStore, 'range' | 'generation'>,
): () => MaybeAsync<readonly ReviewDecision[]> {
  let known:
    | { readonly generation: number; readonly text: string; readonly all: readonly ReviewDecision[] }
    | undefined;
  const load = async (generation: number): Promise<readonly ReviewDecision[]> => {
    const rows = (await store.range(prefix)).map(({ value }) => parseRow(row, value, 'A decision about a release'));
    const all = rows.toSorted((one, other) => (one.at < other.at ? -1 : 1));
    const text = JSON.stringify(all);
    known = { generation, text, all: known?.text === text ? known.all : all };
    return known.all;
  };
  return () => {
    // read before the rows, so that any later commit makes them outdated
    const generation = store.generation();
    return known?.generation === generation ? known.all : load(generation);
  };
}

/** Replaces an earlier decision about the release. */
export async function storeDecision(store: AuditedStore, decision: ReviewDecision, actor: Actor): Promise<void> {
  const { package: name, version, reference, decision: outcome, reason } = decision;
  await store.commit(
    {
      conditions: [],
      puts: [{ key: `${prefix}${name}/${encodeURIComponent(version)}`, value: { ...decision } }],
      deletes: [],
    },
    { actor, action: `policy.${outcome}`, subject: `${name} ${version}`, details: { reference, reason } },
  );
}
