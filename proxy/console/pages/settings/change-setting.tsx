// The forms that change one setting, and remove the change.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { advertisable } from '../../../settings/advertised.ts';
import { parseSettingKey, settingDefinitions, settingKeys, type SettingKey } from '../../../settings/definitions.ts';
import { getSettings, patchOf, settingFieldText, settingViews, updateSettings } from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { ButtonLink, CheckField, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import { nameOrigin } from './setting-origin.ts';
import { kindOf, settingIn, valueField } from './setting-text.ts';
import type { SettingsPageServices } from './settings-services.ts';

const section = 'settings';
const trail = [{ label: 'Settings', to: '/settings' }];

export const changedSetting = (services: SettingsPageServices): FormPage =>
  operationForm(services, updateSettings, {
    section,
    path: '/settings/:key',
    linked: [valueField],
    fieldOf: Object.fromEntries(settingKeys.map((key) => [key, valueField])),
    view: async (request) => {
      const setting = await findSetting(services, request);
      const { key, changeable, origin } = setting;
      if (!changeable) return fixedView(setting, services);
      return {
        title: `Change ${key}`,
        sentence: sentenceOf(key),
        trail,
        actions:
          origin === 'api' ? (
            <ButtonLink to={`/settings/${key}/reset`} kind="small" icon="undo-2">
              Remove the change made here
            </ButtonLink>
          ) : undefined,
        submit: 'Save the setting',
        cancel: '/settings',
        fields: <SettingField setting={setting} />,
      };
    },
    input: (request, fields) => {
      const key = keyIn(request);
      return patchOf(key, settingIn(key, fields));
    },
    done: () => ({ to: '/settings', notice: 'saved' }),
  });

/** libretto.json or the default counts again. */
export const resetSetting = (services: SettingsPageServices): FormPage =>
  operationForm(services, updateSettings, {
    section,
    path: '/settings/:key/reset',
    linked: [],
    view: async (request) => {
      const { key, origin } = await findSetting(services, request);
      if (origin !== 'api') return { to: `/settings/${key}` };
      return {
        title: `Remove the change of ${key}?`,
        sentence: 'The value of libretto.json, or else the default, counts again at once.',
        submit: 'Remove the change',
        cancel: `/settings/${key}`,
      };
    },
    input: (request) => patchOf(keyIn(request), null),
    done: () => ({ to: '/settings', notice: 'reset' }),
  });

/** Throws NOT_FOUND. */
function keyIn({ param }: SignedInRequest): SettingKey {
  const key = parseSettingKey(param('key'));
  if (key === undefined) throw new RegistryError('NOT_FOUND', { message: 'There is no setting of this name.' });
  return key;
}

/** The setting in the path. Throws NOT_FOUND. */
async function findSetting(services: SettingsPageServices, request: SignedInRequest): Promise<SettingView> {
  const key = keyIn(request);
  const found = settingViews(await callFor(services, request, getSettings, {})).find((setting) => setting.key === key);
  if (found === undefined) throw new Error(`the setting ${key} is not described`);
  return found;
}

function sentenceOf(key: SettingKey): Child {
  return <MarkedText text={asSentence(settingDefinitions[key].description)} />;
}

function fixedView(setting: SettingView, { configuration }: SettingsPageServices): PageView {
  const title = `Change ${setting.key}`;
  return {
    title,
    section,
    content: (
      <>
        <PageHead title={title} sentence={sentenceOf(setting.key)} trail={trail} />
        <Notice kind="info">
          The setting is fixed by {nameOrigin(setting, configuration)}. Change it there, and restart the server.
        </Notice>
      </>
    ),
  };
}

// The field of one setting, by the kind of its value.

function SettingField({ setting: { key, value } }: { readonly setting: SettingView }): Child {
  const hint = <MarkedText text={asSentence(`allowed: ${settingDefinitions[key].allowed}`)} />;
  const field = { name: valueField, label: 'Value', hint, value: settingFieldText(value) };
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
