// Imports the policy of a configuration document: adds its rules and exceptions, changes rules of the same name, and
// removes none.

import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import { differenceOf } from '../../proxy/policy/model/policy-difference.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { readStoredPolicy, replacePolicy } from '../../proxy/policy/records/stored-policy.ts';
import type { Actor, AuditedStore } from '../../proxy/state/audit.ts';
import { textOf } from './differences.ts';
import type { ImportDraft } from './import-draft.ts';

export interface PolicyImport {
  readonly store: AuditedStore;
  readonly actor: Actor;
  /** the policy file of this registry: its policy is not in the state */
  readonly file: string | undefined;
}

export async function importPolicy(
  given: JsonValue,
  { store, actor, file }: PolicyImport,
  draft: ImportDraft,
): Promise<void> {
  await draft.attempt('policy', async () => {
    if (file !== undefined)
      throw new RegistryError('SETTING_FIXED', {
        message: `the policy of this registry is in the file ${file}. Change it there, and remove "policy" here`,
      });
    const parsed = parsePolicy(given);
    if ('issues' in parsed)
      throw new RegistryError('INVALID_INPUT', { details: { issues: [...parsed.issues] as never } });
    const { policy: before } = await readStoredPolicy(store);
    const wanted = joined(before, parsed.policy);
    const changes = differenceOf(before, wanted);
    if (changes.length === 0) return;
    await replacePolicy({ store, actor }, wanted as unknown as JsonObject, undefined);
    draft.changes.push({
      what: 'policy',
      name: 'policy',
      change: before.rules.length === 0 ? 'create' : 'update',
      fields: { changes: changes as never },
    });
  });
}

/** The rules of the file in their order, then those that only this registry has. */
function joined(before: PolicyDocument, { rules, exceptions }: PolicyDocument): PolicyDocument {
  const named = new Set(rules.map(({ name }) => name));
  const known = new Set(before.exceptions.map((one) => textOf(one as unknown as JsonValue)));
  return {
    rules: [...rules, ...before.rules.filter(({ name }) => !named.has(name))],
    exceptions: [...before.exceptions, ...exceptions.filter((one) => !known.has(textOf(one as unknown as JsonValue)))],
  };
}
