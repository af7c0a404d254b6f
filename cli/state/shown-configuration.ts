// The configuration of a running server for pages: every setting with its value and origin, without secrets.

import { isIPv6 } from 'node:net';
import { Secret } from '../../build/shared/text/secret.ts';
import type { ConfiguredSetting } from '../../proxy/settings/configured-setting.ts';
import { formatOrigin, type Config } from '../config/config.ts';
import { shown, type ListenAddress } from '../config/setting-values.ts';
import { settingNames, settings, type SettingName, type SettingValue } from '../config/settings.ts';
import { counted } from '../io/output.ts';
import { runtimeKeys } from './state-settings.ts';

export function shownConfiguration(config: Config): readonly ConfiguredSetting[] {
  return settingNames.map((name) => {
    const { value, origin } = config[name];
    const { key, purpose } = settings[name];
    return {
      key,
      purpose,
      value: value === undefined ? '' : textOf(name, value),
      origin: formatOrigin(origin),
      runtimeKey: runtimeKeys.get(name),
    };
  });
}

/** The settings whose value is an object with a short form. */
const shortForms: { readonly [Name in SettingName]?: (value: NonNullable<SettingValue<Name>>) => string } = {
  listen: addressText,
  metrics: addressText,
  output: ({ text }) => text,
  origin: ({ url }) => url,
  mail: ({ address }) => address,
  distUrl: (value) => (value.form === 'path' ? 'path' : value.base),
  originRedirectAbove: (bytes) => counted(bytes, 'byte'),
  originCheck: (milliseconds) => counted(milliseconds, 'millisecond'),
  stateGrace: secondsText,
  gitAskTimeout: secondsText,
  gitFetchTimeout: secondsText,
  log: (target) => (target.to === 'file' ? target.path : target.to === 'none' ? 'none' : 'standard output'),
};

function textOf(name: SettingName, value: unknown): string {
  const shortForm = shortForms[name] as ((value: unknown) => string) | undefined;
  if (shortForm !== undefined) return shortForm(value);
  if (value instanceof Secret) return 'set, and not shown';
  if (Array.isArray(value)) return listText(value as readonly unknown[]);
  // the values of an object can hold credentials in many places
  return isObject(value) ? counted(Object.keys(value).length, 'entry', 'entries') : plainText(value);
}

function listText(values: readonly unknown[]): string {
  return values.some(isObject) ? counted(values.length, 'entry', 'entries') : values.map(plainText).join(', ');
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? shown(value).slice(1, -1) : shown(value);
}

function addressText({ host, port }: ListenAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function secondsText(seconds: number): string {
  return counted(seconds, 'second');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
