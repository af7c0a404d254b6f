// The form that changes the settings of a group, and takes changes back.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { JsonValue } from '../../../../build/contract/json.ts';
import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import { advertisable } from '../../../settings/advertised.ts';
import { settingDefinitions, settingKeys, type SettingKey } from '../../../settings/definitions.ts';
import { groupsOf, labelOf, purposeOf, resetField, type SettingGroup } from '../../../settings/setting-groups.ts';
import {
  getSettings,
  patchOf,
  settingFieldText,
  settingViews,
  updateSettings,
  type SettingServices,
} from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import type { FormPage, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import { formatSetting, isSpan, kindOf, nameOrigin, settingIn, type FieldKind } from './setting-text.ts';

export interface SettingsPageServices extends SettingServices {
  /** the settings from the start of the server */
  readonly configuration: readonly ConfiguredSetting[];
}

/** All settings of a group. The address of a single setting, of an older version, leads there. */
export const changedSettings = (services: SettingsPageServices): FormPage =>
  operationForm(services, updateSettings, {
    section: 'settings',
    path: '/settings/:group',
    linked: [...settingKeys, ...settingKeys.map(resetField)],
    view: async (request) => {
      const { title, settings, path } = await findGroup(services, request);
      if (path !== `/settings/${request.param('group')}` && request.filledBy === undefined) return { to: path };
      return {
        title,
        sentence: 'A change takes effect at once, in every server process.',
        trail: [{ label: 'Settings', to: '/settings' }],
        submit: 'Save',
        values: Object.fromEntries(settings.map(({ key, value }) => [key, settingFieldText(value)])),
        fields: settings.map((setting) => <SettingField {...{ setting, configuration: services.configuration }} />),
      };
    },
    input: async (request, fields) => {
      const { settings } = await findGroup(services, request);
      const changed = settings.flatMap(({ key, value }) => {
        if (fields.checked(resetField(key))) return [[key, null] as const];
        const given = settingIn(key, fields);
        return given === undefined || JSON.stringify(given) === JSON.stringify(value) ? [] : [[key, given] as const];
      });
      return changed.length === 0 ? undefined : patchOf(changed);
    },
    done: () => ({ to: '/settings', notice: 'saved' }),
  });

/** The group in the path, or the one with the setting in the path. Throws NOT_FOUND. */
async function findGroup(services: SettingsPageServices, request: SignedInRequest): Promise<SettingGroup> {
  const name = request.param('group');
  const groups = groupsOf(settingViews(await callFor(services, request, getSettings, {})));
  const found = groups.find(
    ({ path, settings }) => path === `/settings/${name}` || settings.some(({ key }) => key === name),
  );
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'There is no setting of this name.' });
  return found;
}

// The field of one setting, by the kind of its value.

interface SettingFieldProps extends Pick<SettingsPageServices, 'configuration'> {
  readonly setting: SettingView;
}

function SettingField({ setting, configuration }: SettingFieldProps): Child {
  const label = labelOf(setting.key);
  if (!setting.changeable)
    return (
      <Notice kind="info">
        {label} is fixed by {nameOrigin(setting, configuration)}. Change it there, and restart the server.
      </Notice>
    );
  return (
    <>
      <ValueField setting={setting} />
      {setting.origin === 'api' ? (
        <CheckField
          name={resetField(setting.key)}
          label="Forget this value, and use that of libretto.json or the default"
        />
      ) : null}
    </>
  );
}

function ValueField({ setting: { key, value } }: Pick<SettingFieldProps, 'setting'>): Child {
  const kind = kindOf(key);
  const now = isSpan(key) ? `now ${formatSetting(key, value)}` : '';
  const text = [purposeOf(key), allowedIn(key, kind), now]
    .map((part) => part && asSentence(part))
    .join(' ')
    .trim();
  const hint = text === '' ? undefined : <MarkedText text={text} />;
  const field = { name: key, label: labelOf(key), hint, value: settingFieldText(value) };
  switch (kind) {
    case 'switch':
      return (
        <>
          <input type="hidden" name={key} value="" />
          <CheckField {...field} value="on" isChecked={value === true} />
        </>
      );
    case 'endpoints':
      return <Endpoints {...field} chosen={value} />;
    case 'choice':
      return <SelectField {...field} choices={choicesOf(key)} />;
    case 'number':
      return <TextField {...field} inputmode="numeric" autocomplete="off" required />;
    case 'lines':
    case 'notices':
      return <TextArea {...field} rows={4} />;
    case 'text':
      return <TextField {...field} autocomplete="off" required />;
  }
}

/** Empty where the field shows what may be chosen. */
function allowedIn(key: SettingKey, kind: FieldKind): string {
  if (kind === 'notices')
    return 'One in each line: a constraint for the version of Composer, a colon, and the text, such as `<2.5: Update`';
  if (kind === 'switch' || kind === 'choice' || kind === 'endpoints') return '';
  const { allowed } = settingDefinitions[key];
  return kind === 'lines'
    ? allowed.replace(/^a list of /, 'one in each line, ').replace(/\["(.*?)"\]/, '`$1`')
    : `allowed: ${allowed}`;
}

function choicesOf(key: SettingKey): readonly { readonly value: string; readonly label: string }[] {
  const definition = settingDefinitions[key];
  return 'choices' in definition ? definition.choices.map((one) => ({ value: one, label: one })) : [];
}

type EndpointsProps = Pick<Parameters<typeof TextField>[0], 'name' | 'label' | 'hint'> & { readonly chosen: JsonValue };

function Endpoints({ name, label, hint, chosen }: EndpointsProps): Child {
  return (
    <fieldset>
      <legend>{label}</legend>
      <span class="hint">{hint}</span>
      <input type="hidden" name={name} value="" />
      {advertisable.map((one) => (
        <CheckField name={name} value={one} label={one} isChecked={Array.isArray(chosen) && chosen.includes(one)} />
      ))}
    </fieldset>
  );
}
