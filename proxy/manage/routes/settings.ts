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
    'The settings that can be changed while the registry runs, with the origin of each value: a flag or the ' +
    'environment (fixed), a change at run time, libretto.json, or the default.',
  responses: { 200: { description: 'the settings', content: { 'application/json': { schema: settingsSchema } } } },
});

const updateSettings = operation({
  operationId: 'updateSettings',
  method: 'patch',
  path: '/api/settings',
  tags,
  summary: 'Change settings',
  description:
    'Only the given settings change, all of them or none. null removes a change made at run time. Changes take ' +
    'effect at once in every process; `dist_url` takes effect with the next build.',
  request: { body: { required: true, content: { 'application/json': { schema: settingsPatch } } } },
  responses: {
    200: { description: 'the settings after the change', content: { 'application/json': { schema: settingsSchema } } },
  },
  errors: ['SETTING_FIXED'],
});

export function registerSettings(api: Api, { settings }: SettingServices): void {
  api.openapi(getSettings, async (context) => context.json(showSettings(await settings.describe()), 200));
  api.openapi(updateSettings, async (context) =>
    context.json(showSettings(await settings.update(flatPatch(context.req.valid('json')), actor(context))), 200),
  );
}
