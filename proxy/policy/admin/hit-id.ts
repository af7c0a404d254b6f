// The place of a first hit in the list of all, newest first. Pure.

import { createHash } from 'node:crypto';
import { compareText } from '../../../build/shared/text/compare-text.ts';
import { hitKey, type PolicyHit } from '../records/policy-hits.ts';

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
