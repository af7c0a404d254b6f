// The pages about settings.

import type { Pages } from '../../frame/pages.ts';
import { registerSettingChange } from './change-setting.tsx';
import { registerSettingReset } from './reset-setting.tsx';
import { registerSettingsList } from './settings-list.tsx';
import type { SettingsPageServices } from './settings-services.ts';

export function registerSettingsPages(pages: Pages, services: SettingsPageServices): void {
  registerSettingsList(pages, services);
  registerSettingChange(pages, services);
  registerSettingReset(pages, services);
}
