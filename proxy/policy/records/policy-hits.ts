// The first hits of rules, as the state stores them: one row for each rule, package and version.

import { z } from 'zod';
import { createHash } from 'node:crypto';
import { compareText } from '../../../build/shared/text/compare-text.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseRow, type RowOf } from '../../state/rows.ts';
import type { Action } from '../model/policy-document.ts';

export const hitPrefix = 'policy/hit/';

const policyHit = z.object({
  rule: z.string(),
  action: z.custom<Action>((value) => typeof value === 'string'),
  /** null: a version of Composer was refused */
  name: z.string().nullable(),
  /** of the package, or of Composer */
  version: z.string(),
  normalized: z.string(),
  /** when the version was released, epoch milliseconds; null: unknown */
  released_ms: z.number().nullable(),
  because: z.string(),
  /** the id of the token that asked first; null: unknown */
  token: z.string().nullable(),
  /** RFC 3339 UTC */
  at: z.string(),
});
export type PolicyHit = RowOf<typeof policyHit>;

export function hitKey({ rule, action, name, normalized }: PolicyHit): string {
  return `${hitPrefix}${rule}/${action}/${name ?? 'composer'}/${encodeURIComponent(normalized)}`;
}

/** All first hits, newest first. Throws StateError for a malformed row. */
export async function readHits(store: Pick<StateStore, 'range'>): Promise<readonly PolicyHit[]> {
  const rows = await store.range(hitPrefix);
  return newestFirst(rows.map(({ value }) => parseRow(policyHit, value, 'The record of a hit of the policy')));
}

/** In the order of time; different for each hit. */
export function hitId(hit: PolicyHit): string {
  return `${hit.at} ${createHash('sha256').update(hitKey(hit)).digest('base64url').slice(0, 16)}`;
}

/** Newest first. An id is only computed for hits of the same time, once for each. */
export function newestFirst(hits: readonly PolicyHit[]): readonly PolicyHit[] {
  const ids = new Map<PolicyHit, string>();
  const idOf = (hit: PolicyHit): string => {
    const id = ids.get(hit) ?? hitId(hit);
    ids.set(hit, id);
    return id;
  };
  return hits.toSorted((one, other) =>
    one.at === other.at ? compareText(idOf(other), idOf(one)) : compareText(other.at, one.at),
  );
}
