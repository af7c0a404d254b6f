// The policy of a file, as the servers last knew it: one row with its revision and its content. A change of the file is
// one commit with its audit event, as a change of the policy in the state is (I8).

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { AuditedStore } from '../../state/audit.ts';
import { malformedRecord } from '../../state/state-error.ts';
import { parsePolicy } from '../model/parse-policy.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { differenceOf, type PolicyDifference } from '../model/policy-difference.ts';
import { readStoredPolicy, revisionOf } from './stored-policy.ts';

export const filePolicyKey = 'policy/file';

const updated = { actor: 'system:policy', action: 'policy.update', subject: 'policy' } as const;

export function isFilePolicy(value: JsonValue): boolean {
  return contentOf(value) !== undefined;
}

/**
 * Stores the policy of a file, if it differs from the last known one. Before the first file, that is the policy of the
 * state. undefined: it is the last known one.
 */
export async function recordFilePolicy(
  store: AuditedStore,
  file: string,
  policy: PolicyDocument,
): Promise<readonly PolicyDifference[] | undefined> {
  for (;;) {
    const row = await store.get(filePolicyKey);
    const before = row === undefined ? (await readStoredPolicy(store)).policy : contentOf(row.value);
    if (before === undefined) throw malformedRecord('The policy of the file');
    const changes = differenceOf(before, policy);
    if (changes.length === 0 && row !== undefined) return undefined;
    const { rules, exceptions } = policy;
    const value = { revision: revisionOf(policy), policy: { rules, exceptions } } as unknown as JsonObject;
    const done = await store.commit(
      {
        conditions: [{ key: filePolicyKey, revision: row?.revision ?? null }],
        puts: [{ key: filePolicyKey, value }],
        deletes: [],
      },
      { ...updated, details: { file, changes: changes as never } },
    );
    if (done) return changes;
  }
}

/** A server without a policy file uses the policy of the state. undefined: no server had a file before. */
export async function forgetFilePolicy(store: AuditedStore): Promise<readonly PolicyDifference[] | undefined> {
  for (;;) {
    const row = await store.get(filePolicyKey);
    if (row === undefined) return undefined;
    const before = contentOf(row.value);
    if (before === undefined) throw malformedRecord('The policy of the file');
    const changes = differenceOf(before, (await readStoredPolicy(store)).policy);
    const done = await store.commit(
      { conditions: [{ key: filePolicyKey, revision: row.revision }], puts: [], deletes: [filePolicyKey] },
      { ...updated, details: { file: null, changes: changes as never } },
    );
    if (done) return changes;
  }
}

function contentOf(value: JsonValue): PolicyDocument | undefined {
  if (!isJsonObject(value) || typeof value['revision'] !== 'string') return undefined;
  const parsed = parsePolicy(value['policy']);
  return 'policy' in parsed ? parsed.policy : undefined;
}
