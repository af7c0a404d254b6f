// Settings over HTTP: the same service as `libretto settings`.

import { actor, operation, type Api } from '../frame/api.ts';
import { settingsPatch, settingsSchema, flatPatch, showSettings } from '../schemas/setting.ts';
import type { Settings } from '../../settings/settings.ts';

export interface SettingServices {
  readonly settings: Settings;
}

const tags = ['Settings'];

const getSettings = operation({
  operationId: 'getSettings',
  method: 'get',
  path: '/api/settings',
  tags,
  summary: 'Get the settings',
  description:
    'Those that can be changed while the registry runs, each with where it comes from: a flag or the environment, which fix it; what was set here; libretto.json; the default.',
  responses: { 200: { description: 'the settings', content: { 'application/json': { schema: settingsSchema } } } },
});

const updateSettings = operation({
  operationId: 'updateSettings',
  method: 'patch',
  path: '/api/settings',
  tags,
  summary: 'Change settings',
  description:
    'All that are named, or none of them. What is left out stays; null takes back what was set here. It acts at once, in every process; `dist_url` with the next build.',
  request: { body: { required: true, content: { 'application/json': { schema: settingsPatch } } } },
  responses: {
    200: { description: 'the settings as they are now', content: { 'application/json': { schema: settingsSchema } } },
  },
  errors: ['SETTING_FIXED'],
});

export function registerSettings(api: Api, { settings }: SettingServices): void {
  api.openapi(getSettings, async (context) => context.json(showSettings(await settings.describe()), 200));
  api.openapi(updateSettings, async (context) =>
    context.json(showSettings(await settings.update(flatPatch(context.req.valid('json')), actor(context))), 200),
  );
}
