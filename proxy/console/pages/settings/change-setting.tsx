// The form that changes the settings of a group, and the question that removes a change.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { advertisable } from '../../../settings/advertised.ts';
import { parseSettingKey, settingDefinitions, settingKeys, type SettingKey } from '../../../settings/definitions.ts';
import { getSettings, patchOf, settingFieldText, settingViews, updateSettings } from '../../../settings/operations.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { FormPage, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import { groupsOf, labelOf, type SettingGroup } from './setting-groups.ts';
import { nameOrigin } from './setting-origin.ts';
import { kindOf, settingIn } from './setting-text.ts';
import type { SettingsPageServices } from './settings-services.ts';

const section = 'settings';
const trail = [{ label: 'Settings', to: '/settings' }];

/** At the address of each setting, with all of its group. */
export const changedSettings = (services: SettingsPageServices): FormPage =>
  operationForm(services, updateSettings, {
    section,
    path: '/settings/:key',
    linked: settingKeys,
    view: async (request) => {
      const { title, settings } = await findSetting(services, request);
      return {
        title,
        sentence: 'A change takes effect at once, in every server process.',
        trail,
        submit: 'Save',
        cancel: '/settings',
        values: Object.fromEntries(settings.map(({ key, value }) => [key, settingFieldText(value)])),
        fields: settings.map((setting) =>
          setting.changeable ? (
            <SettingField setting={setting} />
          ) : (
            <Notice kind="info">
              {labelOf(setting.key)} is fixed by {nameOrigin(setting, services.configuration)}. Change it there, and
              restart the server.
            </Notice>
          ),
        ),
      };
    },
    input: async (request, fields) => {
      const { settings } = await findSetting(services, request);
      const changed = settings.flatMap(({ key, value }) => {
        const given = settingIn(key, fields);
        return given === undefined || JSON.stringify(given) === JSON.stringify(value) ? [] : [[key, given] as const];
      });
      return changed.length === 0 ? undefined : patchOf(changed);
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
      const { key, origin } = (await findSetting(services, request)).setting;
      if (origin !== 'api') return { to: `/settings/${key}` };
      return {
        title: `Remove the change of “${labelOf(key)}”?`,
        sentence: 'The value of libretto.json, or else the default, counts again at once.',
        submit: 'Remove the change',
        cancel: `/settings/${key}`,
      };
    },
    input: async (request) => patchOf([[(await findSetting(services, request)).setting.key, null]]),
    done: () => ({ to: '/settings', notice: 'reset' }),
  });

interface FoundSetting extends SettingGroup {
  readonly setting: SettingView;
}

/** The setting in the path, with its group. Throws NOT_FOUND. */
async function findSetting(services: SettingsPageServices, request: SignedInRequest): Promise<FoundSetting> {
  const key = parseSettingKey(request.param('key'));
  for (const group of groupsOf(settingViews(await callFor(services, request, getSettings, {})))) {
    const setting = group.settings.find((one) => one.key === key);
    if (setting !== undefined) return { ...group, setting };
  }
  throw new RegistryError('NOT_FOUND', { message: 'There is no setting of this name.' });
}

// The field of one setting, by the kind of its value.

function SettingField({ setting: { key, value, origin } }: { readonly setting: SettingView }): Child {
  const { description, allowed } = settingDefinitions[key];
  const kind = kindOf(key);
  const hint = (
    <>
      <MarkedText
        text={`${asSentence(description)} ${kind === 'notices' ? noticeHint : asSentence(`allowed: ${allowed}`)}`}
      />
      {origin === 'api' ? (
        <>
          {' '}
          <A to={`/settings/${key}/reset`}>Remove the change made here</A>
        </>
      ) : null}
    </>
  );
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

const noticeHint =
  'One in each line: a constraint for the version of Composer, a colon, and the text, such as `<2.5: Update`.';

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
