// Combines the configuration with the settings in the state. A setting in the state replaces the configured value,
// unless a flag or a variable fixes it.

import type { JsonValue } from '../../build/contract/json.ts';
import type { Baseline } from '../../proxy/settings/settings.ts';
import type { SettingKey } from '../../proxy/settings/definitions.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config, Configured } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { isLost } from './lost-state.ts';
import { openStateIfAny } from './open-state.ts';
import { printWarnings } from '../io/output.ts';
import { settings, type SettingName } from '../config/settings.ts';
import type { Setting } from '../config/setting.ts';

/** Settings of the state that the configuration has too. */
const configNames = {
  metadata_url: 'metadataUrl',
  advertise: 'advertise',
  warnings: 'warnings',
  infos: 'infos',
  dist_url: 'distUrl',
  'limits.read': 'limitsRead',
  'limits.write': 'limitsWrite',
  'sessions.lifetime': 'sessionsLifetime',
  'passwords.min_length': 'passwordsMinLength',
  'retention.artifacts_days': 'retentionArtifactsDays',
  'retention.statistics_days': 'retentionStatisticsDays',
  'statistics.by': 'statisticsBy',
  'retention.jobs': 'retentionJobs',
  'sync.parallel': 'syncParallel',
} as const satisfies Partial<Record<SettingKey, SettingName>>;

const pairs = Object.entries(configNames) as readonly (readonly [keyof typeof configNames, SettingName])[];

/** The settings of the configuration that can change while the registry runs, with their keys there. */
export const runtimeKeys: ReadonlyMap<SettingName, SettingKey> = new Map(pairs.map(([key, name]) => [name, key]));

export function baselineOf(config: Config): Baseline {
  const rows = pairs.map(([key, name]) => {
    const { value, origin } = config[name];
    return [
      key,
      {
        value: name === 'distUrl' ? textOf(config.distUrl.value) : value,
        origin: origin.from === 'api' ? 'default' : origin.from,
      },
    ] as const;
  });
  return Object.fromEntries(rows) as Baseline;
}

function textOf(distUrl: Config['distUrl']['value']): string {
  return distUrl.form === 'path' ? 'path' : distUrl.base;
}

/** Returns the configuration with the settings of the state, unless a flag or variable fixes a setting. */
export async function withSettingsOf(store: Pick<StateStore, 'range'>, config: Config): Promise<Config> {
  const stored = await readStoredSettings(store);
  const values: Record<string, Configured<unknown>> = {};
  for (const [key, name] of pairs) {
    const value = await parsed(name, stored.get(key)?.value);
    const { from } = config[name].origin;
    if (value !== undefined && from !== 'flag' && from !== 'environment')
      values[name] = { value, origin: { from: 'api', name: `the setting ${key}` } };
  }
  return Object.freeze({ ...config, ...values });
}

/** A value that only another version allows counts as absent. */
async function parsed(name: SettingName, value: JsonValue | undefined): Promise<unknown> {
  const setting: Setting<unknown> = settings[name];
  return value === undefined ? undefined : setting.parse(value, { directory: '/' }, () => undefined);
}

/**
 * As withSettingsOf, with the existing state. Without a state, and with a damaged one, it returns the configuration
 * unchanged. Throws StateError as isLost tells.
 */
export async function withStateSettings(config: Config, { stderr }: Pick<Context, 'stderr'>): Promise<Config> {
  try {
    const state = await openStateIfAny(config);
    if (state === undefined) return config;
    return await withSettingsOf(state, config).finally(() => state.close());
  } catch (error) {
    if (!isLost(error)) throw error;
    printWarnings(stderr, [`Settings changed at run time are unknown: ${error.message}`]);
    return config;
  }
}
