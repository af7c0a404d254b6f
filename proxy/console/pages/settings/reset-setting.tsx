// Removing the change of a setting: libretto.json or the default counts again.

import { actorOf } from '../../../auth/caller.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { findSetting, keyIn } from './change-setting.tsx';
import type { SettingsPageServices } from './settings-services.ts';

export function registerSettingReset(pages: Pages, services: SettingsPageServices): void {
  pages.form({
    path: '/settings/:key/reset',
    operation: 'updateSettings',
    isDangerous: true,
    show: (request, form) => ask(services, request, form),
    submit: async (request) => {
      await services.settings.update({ [keyIn(request)]: null }, actorOf(request.caller));
      return { to: '/settings', notice: 'reset' };
    },
  });
}

async function ask(services: SettingsPageServices, request: SignedInRequest, form: FormState): Promise<PageOutcome> {
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
