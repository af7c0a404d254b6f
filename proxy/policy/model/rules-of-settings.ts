// The rules that the settings `mirroring.*` describe. They decide as these settings always did: about mirrored
// packages, by the author's time, and archives that are already here are still served. Pure.

import type { SettingValues } from '../../settings/definitions.ts';
import type { Rule } from './policy-document.ts';

export type RuleSettings = Pick<
  SettingValues,
  'mirroring.licenses' | 'mirroring.license_rule' | 'mirroring.abandoned' | 'mirroring.minimum_age'
>;

/** The names of these rules are the keys of the settings. */
export function rulesOfSettings(values: RuleSettings): readonly Rule[] {
  const {
    'mirroring.licenses': licenses,
    'mirroring.license_rule': licenseRule,
    'mirroring.abandoned': abandoned,
    'mirroring.minimum_age': age,
  } = values;
  const common = { origin: 'mirrored', archives: 'serve' } as const;
  const rules: Rule[] = [];
  if (licenses.length > 0)
    rules.push({
      rule: 'license',
      name: 'mirroring.licenses',
      action: licenseRule === 'warn' ? 'warn' : 'block',
      allow: [...licenses],
      ...common,
    });
  if (abandoned !== 'allow')
    rules.push({
      rule: 'abandoned',
      name: 'mirroring.abandoned',
      action: abandoned === 'warn' ? 'warn' : 'block',
      ...common,
    });
  if (age > 0)
    rules.push({ rule: 'age', name: 'mirroring.minimum_age', action: 'block', seconds: age, by: 'time', ...common });
  return rules;
}
