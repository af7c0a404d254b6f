// What the pages about settings call.

import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import type { SettingServices } from '../../../settings/operations.ts';

export interface SettingsPageServices extends SettingServices {
  /** the settings from the start of the server */
  readonly configuration: readonly ConfiguredSetting[];
}
