// What the pages about settings call.

import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import type { Settings } from '../../../settings/settings.ts';

export interface SettingsPageServices {
  readonly settings: Settings;
  /** the settings from the start of the server */
  readonly configuration: readonly ConfiguredSetting[];
}
