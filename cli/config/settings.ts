// The table of all settings. config.ts reads them, and program.ts makes flags of them. docs/reference/configuration.md
// documents them for people and docs/libretto.schema.json for editors (tests compare).

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

import { exactMetadataUrl } from '../../build/contract/documents.ts';
import { standardKeep } from '../../build/history/keep.ts';
import type { Address } from '../../build/contract/address.ts';
import { distUrlPattern, metadataUrlPattern, webAddressAllowed } from '../../build/contract/registry-address.ts';
import { advertisable, isAdvertisable, type Advertisable } from '../../proxy/settings/advertised.ts';
import {
  addressSettings,
  workers,
  connectionSettings,
  listenSetting,
  metricsSetting,
  tlsSettings,
} from './server-settings.ts';
import { featuresSetting } from './feature-settings.ts';
import { consoleSettings, siteSettings } from './page-settings.ts';
import { mailSettings } from './mail-settings.ts';
import { osvSettings, policySettings } from './policy-settings.ts';
import { publisherSettings, signerSettings, signInSettings } from './trust-settings.ts';
import { origin, originAuthorization, originCheck, originRedirectAbove } from './origin-settings.ts';
import { output } from './output-settings.ts';
import { fileSettings } from './file-settings.ts';
import { ruleSettings } from './rule-settings.ts';
import { pathSetting, wholeNumber, type Setting } from './setting.ts';
import {
  parseDistUrl,
  parseLog,
  parseMetadataUrl,
  parseRedisUrl,
  parseTrustedProxies,
  parseWords,
  pathFault,
  redisUrlFault,
  webFault,
  type DistUrl,
  type LogTarget,
} from './setting-values.ts';
import { addressRangePattern } from './text-schemas.ts';

const data: Setting<string> = {
  ...pathSetting({
    key: 'data',
    flag: '--data <directory>',
    short: '-d',
    variable: 'LIBRETTO_DATA',
    purpose: 'the folder with the output tree and the state',
    allowed: 'a path',
  }),
  standard: (base) => resolve(base.directory, 'var'),
};

const redisAllowed =
  'redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], redis+sentinel://HOST[:PORT],HOST…/PRIMARY[/DATABASE], or ' +
  'redis+cluster://HOST[:PORT],HOST…[/REGISTRY]; with TLS: rediss in place of redis';

const redis: Setting<Address | undefined> = {
  key: 'redis',
  flag: '--redis <url>',
  variable: 'LIBRETTO_REDIS',
  purpose: 'a Redis that counts requests for several servers',
  allowed: redisAllowed,
  parse: parseRedisUrl,
  reason: redisUrlFault,
  standard: () => undefined,
  schema: {
    type: 'string',
    pattern: String.raw`^rediss?(\+sentinel|\+cluster)?://[^\s\u0000-\u001f\u007f]+$`,
  },
};

const state: Setting<Address | undefined> = {
  ...redis,
  key: 'state',
  flag: '--state <url>',
  variable: 'LIBRETTO_STATE',
  purpose: 'a Redis that stores users, tokens and settings for several hosts',
};

const metadataUrl: Setting<string> = {
  key: 'metadataUrl',
  flag: '--metadata-url <template>',
  variable: 'LIBRETTO_METADATA_URL',
  purpose: 'the metadata-url in packages.json',
  allowed: 'a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json',
  parse: parseMetadataUrl,
  reason: webFault,
  standard: () => exactMetadataUrl,
  schema: { type: 'string', pattern: metadataUrlPattern },
};

const advertise: Setting<readonly Advertisable[]> = {
  key: 'advertise',
  variable: 'LIBRETTO_ADVERTISE',
  purpose: 'optional endpoints that packages.json offers to Composer',
  allowed: `any of ${advertisable.join(', ')}, separated by commas, or none (in libretto.json: a list)`,
  parse: (raw) => parseWords(raw, isAdvertisable),
  standard: () => advertisable,
  schema: { type: 'array', uniqueItems: true, items: { enum: advertisable } },
};

const distUrl: Setting<DistUrl> = {
  key: 'distUrl',
  variable: 'LIBRETTO_DIST_URL',
  purpose: 'the form of archive addresses in the metadata',
  allowed: `'path', or the registry's own ${webAddressAllowed}`,
  parse: parseDistUrl,
  reason: webFault,
  standard: () => ({ form: 'path' }),
  schema: { type: 'string', pattern: distUrlPattern },
};

const distShasum: Setting<'always' | 'releases'> = {
  key: 'distShasum',
  variable: 'LIBRETTO_DIST_SHASUM',
  purpose: 'the versions whose metadata contains the SHA-1 of the archive',
  allowed: "'always', or 'releases' for all but dev versions",
  parse: (raw) => (raw === 'always' || raw === 'releases' ? raw : undefined),
  standard: () => 'releases',
  schema: { enum: ['always', 'releases'] },
};

const trustedProxies: Setting<readonly string[]> = {
  key: 'trustedProxies',
  flag: '--trusted-proxies <ranges>',
  variable: 'LIBRETTO_TRUSTED_PROXIES',
  purpose: 'reverse proxies whose X-Forwarded-For header is trusted',
  allowed: 'addresses or CIDR ranges such as 10.0.0.0/8,::1, separated by commas (in libretto.json: a list)',
  parse: parseTrustedProxies,
  standard: () => [],
  schema: { type: 'array', items: { type: 'string', pattern: addressRangePattern } },
};

const jobs = wholeNumber({
  key: 'jobs',
  flag: '--jobs <n>',
  variable: 'LIBRETTO_JOBS',
  purpose: 'the number of parallel tasks in a build',
  least: 1,
  most: 256,
  standard: () => Math.min(availableParallelism(), 256),
});

const keep = wholeNumber({
  key: 'history.keep',
  flag: '--keep <n>',
  variable: 'LIBRETTO_HISTORY_KEEP',
  purpose: 'the number of recorded publications for history, diff and rollback',
  least: 1,
  most: 10_000,
  standard: () => standardKeep,
});

const log: Setting<LogTarget> = {
  key: 'log',
  flag: '--log <file>',
  variable: 'LIBRETTO_LOG',
  purpose: 'the request log: a file, - for standard output, or none',
  allowed: 'a file name, - for standard output, or none',
  parse: parseLog,
  reason: pathFault,
  standard: () => ({ to: 'stdout' }),
  schema: { type: 'string', pattern: String.raw`^(?=.*\S)[^\u0000-\u001f\u007f]*[^/\\\u0000-\u001f\u007f]$` },
};

export const settings = {
  data,
  listen: listenSetting,
  redis,
  state,
  output,
  origin,
  originAuthorization,
  originCheck,
  originRedirectAbove,
  metadataUrl,
  advertise,
  distUrl,
  distShasum,
  ...addressSettings,
  trustedProxies,
  ...connectionSettings,
  features: featuresSetting,
  ...consoleSettings,
  ...mailSettings,
  ...policySettings,
  ...osvSettings,
  ...publisherSettings,
  ...signInSettings,
  metrics: metricsSetting,
  workers,
  ...tlsSettings,
  jobs,
  ...signerSettings,
  keep,
  ...siteSettings,
  log,
  ...ruleSettings,
  ...fileSettings,
};

export type Settings = typeof settings;
export type SettingName = keyof Settings;
export type SettingValue<Name extends SettingName> = Settings[Name] extends Setting<infer T> ? T : never;

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** Keys of libretto.json that hold settings within them. */
export const groupExamples: Readonly<Record<string, string>> = {
  limits: '{"read": 1000, "write": 500}',
  history: '{"keep": 100}',
  sessions: '{"lifetime": 43200}',
  passwords: '{"minLength": 12}',
  retention: '{"jobs": 20}',
  sync: '{"parallel": 4}',
  archive: '{"exclude": ["/docs"]}',
  git: '{"fetchTimeout": 900}',
  egress: '{"allow": ["10.0.0.0/8"]}',
};

/** The variables that are not settings. */
export const otherVariables = {
  LIBRETTO_CONFIG: 'the configuration file, instead of ./libretto.json',
  LIBRETTO_DEBUG: 'any value except 0: show the stack of an unexpected error',
  LIBRETTO_URL: 'the address of a remote registry, instead of --url',
  LIBRETTO_TOKEN: 'the token for a remote registry, instead of --token',
  LIBRETTO_ID_TOKEN: 'the ID token of a CI job, for `publish --oidc` and `ci login`',
} as const;
