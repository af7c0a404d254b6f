// The field of one setting, by the kind of its value.

import type { Child } from 'hono/jsx';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { advertisable } from '../../../settings/advertised.ts';
import { settingDefinitions, type SettingKey } from '../../../settings/definitions.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { kindOf, typedSetting, valueField } from './setting-text.ts';

export function SettingField({ setting: { key, value } }: { readonly setting: SettingView }): Child {
  const hint = <MarkedText text={asSentence(`allowed: ${settingDefinitions[key].allowed}`)} />;
  const field = { name: valueField, label: 'Value', hint, value: typedSetting(value) };
  switch (kindOf(key)) {
    case 'switch':
      return <CheckField name={valueField} label="On" isChecked={value === true} />;
    case 'endpoints':
      return <Endpoints value={value} />;
    case 'choice':
      return <SelectField {...field} choices={choicesOf(key)} />;
    case 'number':
      return <TextField {...field} inputmode="numeric" autocomplete="off" required />;
    case 'lines':
      return <TextArea {...field} label="Values, one in each line" rows={6} />;
    case 'notices':
      return <TextArea {...field} label="One in each line: <2.5: text" hint={noticeHint} rows={6} />;
    case 'text':
      return <TextField {...field} autocomplete="off" required />;
  }
}

const noticeHint = 'A constraint for the version of Composer, a colon, and the text that Composer prints.';

function choicesOf(key: SettingKey): readonly { readonly value: string; readonly label: string }[] {
  const definition = settingDefinitions[key];
  return 'choices' in definition ? definition.choices.map((one) => ({ value: one, label: one })) : [];
}

function Endpoints({ value }: { readonly value: JsonValue }): Child {
  return (
    <fieldset>
      <legend>Endpoints</legend>
      {advertisable.map((name) => (
        <CheckField
          name={valueField}
          value={name}
          label={name}
          isChecked={Array.isArray(value) && value.includes(name)}
        />
      ))}
    </fieldset>
  );
}
