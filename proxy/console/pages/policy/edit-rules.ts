// The policy in the form, as its cards and templates change it: from the fields to the JSON, and back. Pure.

import type { JsonObject, JsonValue } from '../../../../build/contract/json.ts';
import { parsePolicyText } from '../../../policy/model/parse-policy.ts';
import type { Rule } from '../../../policy/model/policy-document.ts';
import type { FormFields } from '../../request/form-fields.ts';

/** What most registries want, with the sentence on its button. */
export const templates: readonly (readonly [label: string, rule: JsonObject])[] = [
  ['Block malware', { name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' }],
  ['Block severe advisories', { name: 'advisories', rule: 'advisories', severity: 'high', action: 'block' }],
  ['Hold back young versions', { name: 'age', rule: 'age', days: 3, origin: 'mirrored', action: 'block' }],
  ['Allow some licences', { name: 'licences', rule: 'license', allow: ['MIT', 'BSD-*', 'Apache-2.0'], action: 'warn' }],
  ['Warn of abandoned packages', { name: 'abandoned', rule: 'abandoned', action: 'warn' }],
];

/** What a card changes of its rule, as texts. */
export function cardValues(rule: Rule): Readonly<Record<string, string>> {
  return {
    action: rule.action,
    ...(rule.rule === 'advisories' ? { severity: rule.severity ?? 'low' } : {}),
    ...(rule.rule === 'age' && rule.days !== undefined ? { days: String(rule.days) } : {}),
    ...(rule.rule === 'license' ? { allow: rule.allow.join(', ') } : {}),
  };
}

/** The JSON that was posted, with the changes of the cards. Fields of the third rule have names such as `days.2`. */
export function editedPolicy(fields: FormFields): string {
  const text = fields.text('policy');
  if (fields.text('view') !== 'cards' || 'issues' in parsePolicyText(text)) return text;
  const document = JSON.parse(text) as { readonly rules: readonly JsonObject[] };
  const kept = document.rules.flatMap((rule, at) =>
    fields.checked(`remove.${at}`) ? [] : [{ ...rule, ...changed(fields, at) }],
  );
  const added = templates.filter(([, { name }]) => name === fields.text('add')).map(([, rule]) => rule);
  return JSON.stringify({ ...document, rules: [...kept, ...added] }, undefined, 2);
}

function changed(fields: FormFields, at: number): JsonObject {
  const given = (name: string, value: (text: string) => JsonValue): JsonObject => {
    const text = fields.optional(`${name}.${at}`);
    return text === undefined ? {} : { [name]: value(text) };
  };
  return {
    ...given('action', String),
    ...given('severity', String),
    ...given('days', Number),
    ...given('allow', (text) => text.split(/[\s,]+/)),
  };
}
