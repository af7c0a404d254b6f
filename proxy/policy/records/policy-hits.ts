// The first hits of rules, as the state stores them: one row for each rule, package and version.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { Action } from '../model/policy-document.ts';

export const hitPrefix = 'policy/hit/';

export interface PolicyHit {
  readonly rule: string;
  readonly action: Action;
  /** null: a version of Composer was refused */
  readonly name: string | null;
  /** of the package, or of Composer */
  readonly version: string;
  readonly normalized: string;
  /** when the version was released, epoch milliseconds; null: unknown */
  readonly released_ms: number | null;
  readonly because: string;
  /** the id of the token that asked first; null: unknown */
  readonly token: string | null;
  /** RFC 3339 UTC */
  readonly at: string;
}

export function hitKey({ rule, action, name, normalized }: PolicyHit): string {
  return `${hitPrefix}${rule}/${action}/${name ?? 'composer'}/${encodeURIComponent(normalized)}`;
}

/** All first hits, newest first. Throws StateError for a malformed row. */
export async function readHits(store: Pick<StateStore, 'range'>): Promise<readonly PolicyHit[]> {
  const rows = await store.range(hitPrefix);
  return rows.map(({ value }) => parseHit(value)).toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

function parseHit(value: JsonValue): PolicyHit {
  if (
    isJsonObject(value) &&
    typeof value['rule'] === 'string' &&
    typeof value['action'] === 'string' &&
    typeof value['version'] === 'string' &&
    typeof value['because'] === 'string' &&
    typeof value['at'] === 'string'
  )
    return value as unknown as PolicyHit;
  throw malformedRecord('The record of a hit of the policy');
}
