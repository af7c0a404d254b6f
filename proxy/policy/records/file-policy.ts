// The policy of a file, as the servers last knew it: one row with its revision and its content. A change of the file is
// one commit with its audit event, as a change of the policy in the state is (I8). A file that equals the policy of the
// state changes nothing, and so its row is written and removed without an event.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { AuditedStore } from '../../state/audit.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import { parsePolicy } from '../model/parse-policy.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { differenceOf, type PolicyDifference } from '../model/policy-difference.ts';
import { readStoredPolicy, revisionOf } from './stored-policy.ts';

export const filePolicyKey = 'policy/file';

const updated = { actor: 'system:policy', action: 'policy.update', subject: 'policy' } as const;

export function isFilePolicy(value: JsonValue): boolean {
  return contentOf(value) !== undefined;
}

export interface FilePolicyStores {
  readonly audited: AuditedStore;
  /** the same state, for a row that changes no policy */
  readonly state: Pick<StateStore, 'commit'>;
}

/**
 * Stores the policy of a file, if it differs from the last known one. Before the first file, that is the policy of the
 * state. undefined: nothing has changed.
 */
export async function recordFilePolicy(
  stores: FilePolicyStores,
  file: string,
  policy: PolicyDocument,
): Promise<readonly PolicyDifference[] | undefined> {
  const store = stores.audited;
  for (;;) {
    const row = await store.get(filePolicyKey);
    const before = row === undefined ? (await readStoredPolicy(store)).policy : contentOf(row.value);
    if (before === undefined) throw malformedRecord('The policy of the file');
    const changes = differenceOf(before, policy);
    if (changes.length === 0 && row !== undefined) return undefined;
    const { rules, exceptions } = policy;
    const value = { revision: revisionOf(policy), policy: { rules, exceptions } } as unknown as JsonObject;
    const done = await commit(
      stores,
      {
        conditions: [{ key: filePolicyKey, revision: row?.revision ?? null }],
        puts: [{ key: filePolicyKey, value }],
        deletes: [],
      },
      { file, changes },
    );
    if (done) return changes.length === 0 ? undefined : changes;
  }
}

/** A server without a policy file uses the policy of the state. undefined: nothing has changed. */
export async function forgetFilePolicy(stores: FilePolicyStores): Promise<readonly PolicyDifference[] | undefined> {
  const store = stores.audited;
  for (;;) {
    const row = await store.get(filePolicyKey);
    if (row === undefined) return undefined;
    const before = contentOf(row.value);
    if (before === undefined) throw malformedRecord('The policy of the file');
    const changes = differenceOf(before, (await readStoredPolicy(store)).policy);
    const done = await commit(
      stores,
      { conditions: [{ key: filePolicyKey, revision: row.revision }], puts: [], deletes: [filePolicyKey] },
      { file: null, changes },
    );
    if (done) return changes.length === 0 ? undefined : changes;
  }
}

interface FileChange {
  readonly file: string | null;
  readonly changes: readonly PolicyDifference[];
}

function commit({ audited, state }: FilePolicyStores, change: StateChange, made: FileChange): Promise<boolean> {
  return made.changes.length === 0
    ? state.commit({ ...change, quiet: true })
    : audited.commit(change, { ...updated, details: { ...made, changes: made.changes as never } });
}

function contentOf(value: JsonValue): PolicyDocument | undefined {
  if (!isJsonObject(value) || typeof value['revision'] !== 'string') return undefined;
  const parsed = parsePolicy(value['policy']);
  return 'policy' in parsed ? parsed.policy : undefined;
}
