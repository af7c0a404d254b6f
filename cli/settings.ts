// Every setting there is, as data: where it can be given, what is allowed, and what holds when nobody gives it. config.ts reads
// them, program.ts makes flags of them, and docs/configuration.md says the same for people (a test compares).

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

import { exactMetadataUrl } from '../build/contract/documents.ts';
import {
  parseDirectory,
  parseDistUrl,
  parseListen,
  parseLog,
  parseMetadataUrl,
  parseRedisUrl,
  parseSources,
  parseTrustedProxies,
  parseWholeNumber,
  type DistUrl,
  type ListenAddress,
  type LogTarget,
  type Place,
} from './setting-values.ts';

export interface Setting<T> {
  /** in libretto.json; a dot means an object within the object */
  readonly key: string;
  /** as commander takes it; undefined: there is no flag */
  readonly flag: string | undefined;
  /** the environment variable; undefined: there is none */
  readonly variable: string | undefined;
  /** for --help */
  readonly purpose: string;
  /** completes "allowed: …" */
  readonly allowed: string;
  readonly parse: (raw: unknown, place: Place) => T | undefined;
  readonly standard: (place: Place) => T;
}

/** Most requests an hour a limit may name; far above what one process can serve. */
export const mostRequestsAnHour = 1_000_000_000;

const requestLimit = (kind: 'read' | 'write', standard: number): Setting<number> => ({
  key: `limits.${kind}`,
  flag: undefined,
  variable: `LIBRETTO_LIMITS_${kind.toUpperCase()}`,
  purpose: `requests an hour of a ${kind} token that has no limit of its own`,
  allowed: `a whole number from 0 (no limit) to ${mostRequestsAnHour}`,
  parse: (raw) => parseWholeNumber(raw, 0, mostRequestsAnHour),
  standard: () => standard,
});

const data: Setting<string> = {
  key: 'data',
  flag: '--data <directory>',
  variable: 'LIBRETTO_DATA',
  purpose: 'the folder that holds the output tree and the state',
  allowed: 'a path',
  parse: parseDirectory,
  standard: (place) => resolve(place.directory, 'var'),
};

const listen: Setting<ListenAddress> = {
  key: 'listen',
  flag: '--listen <host:port>',
  variable: 'LIBRETTO_LISTEN',
  purpose: 'where to serve; port 0 takes any free one',
  allowed: 'HOST:PORT, [IPV6]:PORT, or a port alone (0 to 65535), which means 127.0.0.1',
  parse: parseListen,
  standard: () => ({ host: '127.0.0.1', port: 8080 }),
};

const redis: Setting<string | undefined> = {
  key: 'redis',
  flag: '--redis <url>',
  variable: 'LIBRETTO_REDIS',
  purpose: 'count requests in this Redis, shared by several servers',
  allowed: 'redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS',
  parse: parseRedisUrl,
  standard: () => undefined,
};

const metadataUrl: Setting<string> = {
  key: 'metadataUrl',
  flag: '--metadata-url <template>',
  variable: 'LIBRETTO_METADATA_URL',
  purpose: 'the metadata-url that packages.json names',
  allowed: 'a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json',
  parse: parseMetadataUrl,
  standard: () => exactMetadataUrl,
};

const distUrl: Setting<DistUrl> = {
  key: 'distUrl',
  flag: undefined,
  variable: 'LIBRETTO_DIST_URL',
  purpose: 'how the metadata names archives',
  allowed: "'path', or the registry's own http(s) address without user, query and fragment",
  parse: parseDistUrl,
  standard: () => ({ form: 'path' }),
};

const trustedProxies: Setting<readonly string[]> = {
  key: 'trustedProxies',
  flag: '--trusted-proxies <ranges>',
  variable: 'LIBRETTO_TRUSTED_PROXIES',
  purpose: 'reverse proxies whose X-Forwarded-For is believed',
  allowed: 'addresses or CIDR ranges such as 10.0.0.0/8,::1, with commas between (in libretto.json: a list)',
  parse: parseTrustedProxies,
  standard: () => [],
};

const sources: Setting<readonly string[]> = {
  key: 'sources',
  flag: undefined,
  variable: undefined,
  purpose: 'folders and git repositories that every build without SOURCE takes',
  allowed: 'a list of paths or git URLs; paths are relative to this file',
  parse: parseSources,
  standard: () => [],
};

const jobs: Setting<number> = {
  key: 'jobs',
  flag: '--jobs <n>',
  variable: 'LIBRETTO_JOBS',
  purpose: 'how many things a build does at once',
  allowed: 'a whole number from 1 to 256',
  parse: (raw) => parseWholeNumber(raw, 1, 256),
  standard: () => Math.min(availableParallelism(), 256),
};

const log: Setting<LogTarget> = {
  key: 'log',
  flag: '--log <file>',
  variable: 'LIBRETTO_LOG',
  purpose: 'where the request log goes: a file, or - for standard output',
  allowed: 'a file name, or - for standard output',
  parse: parseLog,
  standard: () => ({ to: 'stdout' }),
};

export const settings = {
  data,
  listen,
  redis,
  metadataUrl,
  distUrl,
  trustedProxies,
  sources,
  jobs,
  log,
  limitsRead: requestLimit('read', 1000),
  limitsWrite: requestLimit('write', 500),
};

export type Settings = typeof settings;
export type SettingName = keyof Settings;
export type SettingValue<Name extends SettingName> = Settings[Name] extends Setting<infer T> ? T : never;

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** The variables that are not settings. */
export const otherVariables = {
  LIBRETTO_CONFIG: 'the configuration file, instead of ./libretto.json',
  LIBRETTO_DEBUG: 'any value but 0: show the stack of an unexpected error',
} as const;
