// Changing one setting, and removing the change.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { parseSettingKey, settingDefinitions, settingKeys, type SettingKey } from '../../../settings/definitions.ts';
import type { SettingView } from '../../../settings/settings.ts';
import { ButtonLink, Form, CheckField, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { asSentence, MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView, SignedInRequest, PageOutcome } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { nameOrigin } from './setting-origin.ts';
import { settingIn, valueField, kindOf, settingFieldText } from './setting-text.ts';
import type { SettingsPageServices } from './settings-services.ts';
import type { JsonValue } from '../../../../build/contract/json.ts';
import { advertisable } from '../../../settings/advertised.ts';

export function registerSettingChange(pages: Pages, services: SettingsPageServices): void {
  const { settings } = services;
  pages.form({
    path: '/settings/:key',
    operation: 'updateSettings',
    fieldOf: Object.fromEntries(settingKeys.map((key) => [key, valueField])),
    show: (request, form) => ask(services, request, form),
    submit: async (request, fields) => {
      const key = keyIn(request);
      await settings.update({ [key]: settingIn(key, fields) }, actorOf(request.caller));
      return { to: '/settings', notice: 'saved' };
    },
  });
}

/** Throws NOT_FOUND. */
export function keyIn({ param }: SignedInRequest): SettingKey {
  const key = parseSettingKey(param('key'));
  if (key === undefined) throw new RegistryError('NOT_FOUND', { message: 'There is no setting of this name.' });
  return key;
}

/** The setting in the path. Throws NOT_FOUND. */
export async function findSetting(
  { settings }: Pick<SettingsPageServices, 'settings'>,
  request: SignedInRequest,
): Promise<SettingView> {
  const key = keyIn(request);
  const found = (await settings.describe()).find((setting) => setting.key === key);
  if (found === undefined) throw new Error(`the setting ${key} is not described`);
  return found;
}

async function ask(services: SettingsPageServices, request: SignedInRequest, form: FormState): Promise<PageView> {
  const setting = await findSetting(services, request);
  const { key, changeable } = setting;
  return {
    title: `Change ${key}`,
    section: 'settings',
    content: (
      <>
        <PageHead
          title={
            <>
              Change <code>{key}</code>
            </>
          }
          sentence={<MarkedText text={asSentence(settingDefinitions[key].description)} />}
          trail={[{ label: 'Settings', to: '/settings' }]}
        />
        {changeable ? (
          <ChangeForm setting={setting} form={form} asksPassword={request.asksPassword} />
        ) : (
          <Notice kind="info">
            The setting is fixed by {nameOrigin(setting, services.configuration)}. Change it there, and restart the
            server.
          </Notice>
        )}
      </>
    ),
  };
}

interface ChangeFormProps {
  readonly setting: SettingView;
  readonly form: FormState;
  readonly asksPassword: boolean;
}

function ChangeForm({ setting, form, asksPassword }: ChangeFormProps): Child {
  return (
    <>
      <Form state={form} submit="Save the setting" cancel="/settings" asksPassword={asksPassword}>
        <SettingField setting={setting} />
      </Form>
      {setting.origin === 'api' ? (
        <p>
          <ButtonLink to={`/settings/${setting.key}/reset`} kind="small" icon="undo-2">
            Remove the change made here
          </ButtonLink>
        </p>
      ) : null}
    </>
  );
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

// Removing the change of a setting: libretto.json or the default counts again.

export function registerSettingReset(pages: Pages, services: SettingsPageServices): void {
  pages.form({
    path: '/settings/:key/reset',
    operation: 'updateSettings',
    show: (request, form) => askReset(services, request, form),
    submit: async (request) => {
      await services.settings.update({ [keyIn(request)]: null }, actorOf(request.caller));
      return { to: '/settings', notice: 'reset' };
    },
  });
}

async function askReset(
  services: SettingsPageServices,
  request: SignedInRequest,
  form: FormState,
): Promise<PageOutcome> {
  const { key, origin } = await findSetting(services, request);
  if (origin !== 'api') return { to: `/settings/${key}` };
  const title = `Remove the change of ${key}?`;
  return {
    title,
    section: 'settings',
    content: (
      <>
        <PageHead title={title} sentence="The value of libretto.json, or else the default, counts again at once." />
        <Form state={form} submit="Remove the change" cancel={`/settings/${key}`} asksPassword={request.asksPassword} />
      </>
    ),
  };
}
