// Values of settings as text: as the list shows them, where they come from, and as fields of a form take and give them.
// Pure.

import type { JsonValue } from '../../../../build/contract/json.ts';
import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import { settingDefinitions, type SettingKey } from '../../../settings/definitions.ts';
import { settingLine } from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { spanText } from '../../../../build/shared/text/span-text.ts';
import { formatNumber } from '../../components/values.tsx';
import type { FormFields } from '../../request/form-fields.ts';

/** How a form asks for a setting. `endpoints`: a choice of several. `notices`: lines of `<2.5: text`. */
export type FieldKind = 'switch' | 'number' | 'text' | 'choice' | 'lines' | 'endpoints' | 'notices';

export function kindOf(key: SettingKey): FieldKind {
  if (key === 'advertise') return 'endpoints';
  if (key === 'warnings' || key === 'infos') return 'notices';
  const definition = settingDefinitions[key];
  if ('choices' in definition) return 'choice';
  if (typeof definition.standard === 'boolean') return 'switch';
  if (typeof definition.standard === 'number') return 'number';
  return Array.isArray(definition.standard) ? 'lines' : 'text';
}

/** `key`: also of a setting that another version of Libretto had. */
export function isSpan(key: string): boolean {
  const definition = Object.hasOwn(settingDefinitions, key) ? settingDefinitions[key as SettingKey] : {};
  return 'unit' in definition && definition.unit === 'seconds';
}

/** For reading, times in words; empty: an empty list. */
export function formatSetting(key: SettingKey, value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return isSpan(key) ? spanText(value) : formatNumber(value);
  return Array.isArray(value) ? value.map(settingLine).join(', ') : settingLine(value);
}

/** `--read-limit`, `limits.read in /srv/libretto.json`, `changed here`: by name, if the configuration knows it. */
export function nameOrigin(
  { key, origin }: Pick<SettingView, 'key' | 'origin'>,
  configuration: readonly ConfiguredSetting[],
): string {
  if (origin === 'api') return 'changed here';
  if (origin === 'default') return 'the default';
  return configuration.find(({ runtimeKey }) => runtimeKey === key)?.origin ?? origin;
}

/** The posted value; the service says what is wrong with it. undefined: the form has no such field. */
export function settingIn(key: SettingKey, fields: FormFields): JsonValue | undefined {
  if (!fields.checked(key)) return undefined;
  switch (kindOf(key)) {
    case 'switch':
      return fields.all(key).includes('on');
    case 'number':
      return numberIn(fields.text(key));
    case 'endpoints':
      return [...fields.all(key)];
    case 'lines':
      return [...fields.lines(key)];
    case 'notices':
      return fields.lines(key).map(noticeIn);
    case 'choice':
    case 'text':
      return fields.text(key);
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
