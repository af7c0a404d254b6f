// Where the value of a setting comes from, in words. Pure.

import type { ConfiguredSetting } from '../../../settings/configured-setting.ts';
import type { SettingOrigin, SettingView } from '../../../settings/settings.ts';

const kinds: Readonly<Record<SettingOrigin, string>> = {
  flag: 'a flag',
  environment: 'an environment variable',
  file: 'libretto.json',
  api: 'changed here',
  default: 'the default',
};

/** `--read-limit`, `limits.read in /srv/libretto.json`, `changed here`: by name, if the configuration knows it. */
export function nameOrigin(
  { key, origin }: Pick<SettingView, 'key' | 'origin'>,
  configuration: readonly ConfiguredSetting[],
): string {
  if (origin === 'api' || origin === 'default') return kinds[origin];
  return configuration.find(({ runtimeKey }) => runtimeKey === key)?.origin ?? kinds[origin];
}
