// Values of settings as text: as the list shows them, and as fields of a form take and give them. Pure.

import type { JsonValue } from '../../../../build/contract/json.ts';
import { settingDefinitions, type SettingKey } from '../../../settings/definitions.ts';
import { settingLine } from '../../../settings/operations.ts';
import { formatNumber, formatSpan } from '../../components/quantity.ts';
import type { FormFields } from '../../request/form-fields.ts';

/** How a form asks for a setting. `endpoints`: a choice of several. `notices`: lines of `<2.5: text`. */
export type FieldKind = 'switch' | 'number' | 'text' | 'choice' | 'lines' | 'endpoints' | 'notices';

/** The name of the field of every setting: each form has one. */
export const valueField = 'value';

export function kindOf(key: SettingKey): FieldKind {
  if (key === 'advertise') return 'endpoints';
  if (key === 'warnings' || key === 'infos') return 'notices';
  const definition = settingDefinitions[key];
  if ('choices' in definition) return 'choice';
  if (typeof definition.standard === 'boolean') return 'switch';
  if (typeof definition.standard === 'number') return 'number';
  return Array.isArray(definition.standard) ? 'lines' : 'text';
}

/** For reading, times in words; empty: an empty list. */
export function formatSetting(key: SettingKey, value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const definition = settingDefinitions[key];
  if (typeof value === 'number')
    return 'unit' in definition && definition.unit === 'seconds' ? formatSpan(value) : formatNumber(value);
  return Array.isArray(value) ? value.map(settingLine).join(', ') : settingLine(value);
}

/** The posted value. The service says what is wrong with it. */
export function settingIn(key: SettingKey, fields: FormFields): JsonValue {
  switch (kindOf(key)) {
    case 'switch':
      return fields.checked(valueField);
    case 'number':
      return numberIn(fields.text(valueField));
    case 'endpoints':
      return [...fields.all(valueField)];
    case 'lines':
      return [...fields.lines(valueField)];
    case 'notices':
      return fields.lines(valueField).map(noticeIn);
    case 'choice':
    case 'text':
      return fields.text(valueField);
  }
}

function numberIn(text: string): JsonValue {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A constraint has no colon. */
function noticeIn(line: string): JsonValue {
  const [, versions = '', message = ''] = /^([^:]*):(.*)$/s.exec(line) ?? [];
  return { versions: versions.trim(), message: message.trim() };
}
