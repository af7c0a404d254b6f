// The first hits of rules, as the state stores them: one row for each rule, package and version.

import { z } from 'zod';
import { createHash } from 'node:crypto';
import { compareText } from '../../../build/shared/text/compare-text.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseRow, type RowOf } from '../../state/rows.ts';
import { timeSchema } from '../../registry/fields.ts';
import { actions } from '../model/words.ts';

export const hitPrefix = 'policy/hit/';

/** A row, and what the API shows. */
export const hitSchema = z.object({
  rule: z.string().meta({ description: 'the name of the rule', example: 'malware' }),
  action: z.enum(actions).meta({ description: 'what the rule does' }),
  name: z.string().nullable().meta({ description: 'the name of the package; null: a version of Composer was refused' }),
  version: z.string().meta({ description: 'of the package, or of Composer', example: '1.2.0' }),
  because: z.string().meta({ description: 'the reason; it completes a sentence' }),
  token: z.string().nullable().meta({ description: 'the id of the token that asked first; null: unknown' }),
  normalized: z.string().meta({ description: 'the normalized version; empty for Composer' }),
  released_ms: z
    .int()
    .nullable()
    .meta({ description: 'when the version was released, in milliseconds since 1970; null: unknown' }),
  at: timeSchema('it was asked for first'),
});
export type PolicyHit = RowOf<typeof hitSchema>;

export function hitKey({ rule, action, name, normalized }: PolicyHit): string {
  return `${hitPrefix}${rule}/${action}/${name ?? 'composer'}/${encodeURIComponent(normalized)}`;
}

/** A newer version of this program may know further actions. */
const rowSchema = hitSchema.extend({ action: z.string() });

/** All first hits with an action of this version, newest first. Throws StateError for a malformed row. */
export async function readHits(store: Pick<StateStore, 'range'>): Promise<readonly PolicyHit[]> {
  const rows = await store.range(hitPrefix);
  const hits = rows.map(({ value }) => parseRow(rowSchema, value, 'The record of a hit of the policy'));
  return newestFirst(hits.filter((hit): hit is PolicyHit => actions.some((one) => one === hit.action)));
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
