// Moves the rules that the settings `mirroring.*` describe into the policy of the state, under new names, and unsets
// the settings. It is one commit with one audit event, and no version gets another outcome: a rule keeps all its keys
// but its name, and its place before the other rules.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import { createSettings } from '../../settings/settings.ts';
import { readStoredSettings, settingPrefix } from '../../settings/stored-settings.ts';
import type { SettingKey } from '../../settings/definitions.ts';
import type { Actor, AuditedStore } from '../../state/audit.ts';
import type { PolicyDocument, Rule } from '../model/policy-document.ts';
import { differenceOf, type PolicyDifference } from '../model/policy-difference.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import { policyKey, readStoredPolicy, revisionOf } from '../records/stored-policy.ts';

const ruleSettings = [
  'mirroring.licenses',
  'mirroring.license_rule',
  'mirroring.abandoned',
  'mirroring.minimum_age',
] as const satisfies readonly SettingKey[];

const newNames: ReadonlyMap<string, string> = new Map([
  ['mirroring.licenses', 'mirroring-licenses'],
  ['mirroring.abandoned', 'mirroring-abandoned'],
  ['mirroring.minimum_age', 'mirroring-age'],
]);

export interface ImportedSettings {
  readonly rules: readonly Rule[];
  /** settings that are unset */
  readonly settings: readonly string[];
  readonly difference: readonly PolicyDifference[];
  readonly revision: string;
}

/** `dryRun`: only tells what would change. Throws CONFLICT if the policy has a rule with one of the new names. */
export async function importSettings(
  { store, actor }: { readonly store: AuditedStore; readonly actor: Actor },
  { dryRun }: { readonly dryRun: boolean },
): Promise<ImportedSettings> {
  for (;;) {
    // the rows are read before the values, so that a change between them fails the commit
    const [row, stored] = [await store.get(policyKey), await readStoredSettings(store)];
    const values = await createSettings({ store, baseline: {} }).current();
    const { policy: before, revision } = await readStoredPolicy(store);
    const rules = rulesOfSettings(values).map(renamed);
    const settings = ruleSettings.filter((key) => stored.has(key));
    if (settings.length === 0) return { rules: [], settings: [], difference: [], revision };
    assertFree(before, rules);
    const policy = joined(before, rules);
    const difference = differenceOf(before, policy);
    const imported = { rules, settings, difference, revision: revisionOf(policy) };
    if (dryRun) return imported;
    const rowsOfSettings = settings.map((key) => ({ key: `${settingPrefix}${key}`, ...stored.get(key) }));
    const done = await store.commit(
      {
        conditions: [
          { key: policyKey, revision: row?.revision ?? null },
          ...rowsOfSettings.map(({ key, revision: read }) => ({ key, revision: read ?? null })),
        ],
        puts: [{ key: policyKey, value: policy as unknown as JsonObject }],
        deletes: rowsOfSettings.map(({ key }) => key),
      },
      {
        actor,
        action: 'policy.update',
        subject: 'policy',
        details: {
          changes: difference as never,
          settings: Object.fromEntries(settings.map((key) => [key, unset(stored.get(key)?.value)])),
        },
      },
    );
    if (done) return imported;
  }
}

function unset(value: JsonValue | undefined): JsonObject {
  return { from: value ?? null, to: null };
}

function renamed(rule: Rule): Rule {
  return { ...rule, name: newNames.get(rule.name) ?? rule.name };
}

function assertFree({ rules }: PolicyDocument, added: readonly Rule[]): void {
  const taken = rules.filter(({ name }) => added.some((one) => one.name === name)).map(({ name }) => name);
  if (taken.length > 0)
    throw new RegistryError('CONFLICT', {
      message: `The policy already has a rule named ${taken.join(', ')}. Give it another name, and try again.`,
      details: { rules: taken },
    });
}

/** The rules of settings come first, as before. */
function joined({ rules, exceptions }: PolicyDocument, added: readonly Rule[]): PolicyDocument {
  return {
    rules: [...added, ...rules],
    exceptions: exceptions.map((one) => ({ ...one, rule: newNames.get(one.rule) ?? one.rule })),
  };
}
