// The policy in the state: one row with the document as people wrote it. A change is one commit with its audit event,
// which holds the difference (I8).

import { createHash } from 'node:crypto';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import type { ChangeParts } from '../../state/audit.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { noPolicy, type PolicyDocument } from '../model/policy-document.ts';
import { differenceOf } from '../model/policy-difference.ts';

export const policyKey = 'policy/document';

export interface StoredPolicy {
  readonly policy: PolicyDocument;
  /** for a change that must not overwrite another one; `none` while no policy is stored */
  readonly revision: string;
}

/** Throws StateError for a row that this version does not understand: a policy never becomes an empty one by itself. */
export async function readStoredPolicy(store: Pick<StateStore, 'range'>): Promise<StoredPolicy> {
  // a range: its absence, too, stays known while the state is away (last-known.ts)
  const [row] = await store.range(policyKey);
  return parseStored(row?.value);
}

/** The parser is loaded only where there is something to parse: most servers have no policy in the state. */
async function parseStored(value: JsonValue | undefined): Promise<StoredPolicy> {
  if (value === undefined) return { policy: noPolicy, revision: 'none' };
  const { parsePolicy } = await import('../model/parse-policy.ts');
  const parsed = parsePolicy(value);
  if ('issues' in parsed) throw malformedRecord('The policy');
  return { policy: parsed.policy, revision: revisionOf(parsed.policy) };
}

export function revisionOf(policy: PolicyDocument): string {
  return createHash('sha256').update(JSON.stringify(policy)).digest('base64url').slice(0, 16);
}

export type PolicyChange = Pick<ChangeParts, 'store' | 'actor'>;

/**
 * Stores a policy. `revision`: the one that the change is based on; undefined: any. False: the same policy is stored.
 * Throws INVALID_INPUT with every fault, and CONFLICT after a change by somebody else.
 */
export async function replacePolicy(
  { store, actor }: PolicyChange,
  given: JsonValue,
  revision: string | undefined,
): Promise<boolean> {
  const { parsePolicy } = await import('../model/parse-policy.ts');
  const parsed = parsePolicy(given);
  if ('issues' in parsed)
    throw new RegistryError('INVALID_INPUT', { details: { issues: [...parsed.issues] as never } });
  const { policy } = parsed;
  for (;;) {
    const row = await store.get(policyKey);
    const before = await parseStored(row?.value);
    if (revision !== undefined && revision !== before.revision)
      throw new RegistryError('CONFLICT', {
        message: 'Somebody else changed the policy meanwhile. Read it again, and repeat your change.',
        details: { revision: before.revision },
      });
    const difference = differenceOf(before.policy, policy);
    if (difference.length === 0) return false;
    const done = await store.commit(
      {
        conditions: [{ key: policyKey, revision: row?.revision ?? null }],
        puts: [
          { key: policyKey, value: { rules: policy.rules, exceptions: policy.exceptions } as unknown as JsonObject },
        ],
        deletes: [],
      },
      { actor, action: 'policy.update', subject: 'policy', details: { changes: difference as never } },
    );
    if (done) return true;
  }
}
