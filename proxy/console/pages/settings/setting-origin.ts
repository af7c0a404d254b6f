// Where the value of a setting comes from, in words. Pure.

import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import type { SettingView } from '../../../settings/settings.ts';

/** `--read-limit`, `limits.read in /srv/libretto.json`, `changed here`: by name, if the configuration knows it. */
export function nameOrigin(
  { key, origin }: Pick<SettingView, 'key' | 'origin'>,
  configuration: readonly ConfiguredSetting[],
): string {
  if (origin === 'api') return 'changed here';
  if (origin === 'default') return 'the default';
  return configuration.find(({ runtimeKey }) => runtimeKey === key)?.origin ?? origin;
}
