// A setting from the start of the server, as pages show it: flags, environment, libretto.json and defaults.

import type { SettingKey } from './definitions.ts';

export interface ConfiguredSetting {
  /** the key in libretto.json */
  readonly key: string;
  readonly purpose: string;
  /** without secrets; empty: not set */
  readonly value: string;
  /** `--data`, `LIBRETTO_DATA`, `data in /srv/libretto.json`, or `the default` */
  readonly origin: string;
  /** the same setting, if it can change while the registry runs */
  readonly runtimeKey: SettingKey | undefined;
}
