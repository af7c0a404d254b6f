// Flags > LIBRETTO_* environment > libretto.json > defaults → one frozen Config in which every value knows its origin.
// One run reports all errors. Only this file reads process.env.

import { dirname, resolve } from 'node:path';
import { exactMetadataUrl } from '../../build/contract/documents.ts';
import { type JsonValue, isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { readConfigFile, type ConfigFile } from './config-file.ts';
import type { Environment } from '../io/environment.ts';
import { pathFault, shown, type BaseFolder } from './setting-values.ts';
import type { Setting } from './setting.ts';
import { settingNames, settings, type SettingName, type SettingValue } from './settings.ts';
import type { ReportFault } from './shape.ts';
import { UsageError } from '../io/usage-error.ts';

export type SettingOrigin =
  | { readonly from: 'flag'; readonly name: string }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'file'; readonly name: string }
  /** set while the registry runs */
  | { readonly from: 'api'; readonly name: string }
  | { readonly from: 'default' };

export interface Configured<T> {
  readonly value: T;
  readonly origin: SettingOrigin;
}

export type Config = { readonly [Name in SettingName]: Configured<SettingValue<Name>> } & {
  /** the libretto.json that was read, absolute; undefined without one */
  readonly file: string | undefined;
};

export interface ConfigInput {
  /** the values from the command line: setting names (and `config`) to raw text; others are ignored */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly workingDirectory: string;
}

/** The environment of this process. */
export function processEnvironment(): Environment {
  return { ...process.env };
}

/** Throws UsageError with every problem there is, a line each. */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const problems: string[] = [];
  const file = readConfigFile(namedFile(input, problems), input.workingDirectory, problems);
  const values: Record<string, Configured<unknown>> = {};
  for (const name of settingNames) values[name] = Object.freeze(await configured(name, input, file, problems));
  if (problems.length > 0) throw new UsageError(formatProblems(problems));
  const config = { ...values, file: file?.path } as Config;
  return Object.freeze({ ...config, metadataUrl: Object.freeze(belowPublicUrl(config)) });
}

/**
 * `--data`, `LIBRETTO_DATA`, `data in /srv/libretto.json`, or `the default`: for messages. `at`: a place within the
 * value, `[2].only`.
 */
export function formatOrigin(origin: SettingOrigin, at = ''): string {
  if (origin.from === 'default') return 'the default';
  return origin.from === 'file' ? origin.name.replace(/ |$/, `${at}$&`) : `${origin.name}${at}`;
}

/** The default of `metadataUrl` has the path of `publicUrl`. */
function belowPublicUrl({ publicUrl: { value: url }, metadataUrl }: Config): Config['metadataUrl'] {
  if (url === undefined || metadataUrl.origin.from !== 'default') return metadataUrl;
  return { ...metadataUrl, value: `${pathBelowHost(url)}${exactMetadataUrl}` };
}

interface Candidate {
  readonly raw: unknown;
  readonly origin: SettingOrigin;
  readonly base: BaseFolder;
}

async function configured(
  name: SettingName,
  input: ConfigInput,
  file: ConfigFile | undefined,
  problems: string[],
): Promise<Configured<unknown>> {
  const setting: Setting<unknown> = settings[name];
  const candidates = candidatesOf(name, setting, input, file);
  // An overridden value must be valid too: otherwise removing the stronger one would cause an unexpected error.
  const parsed: Configured<unknown>[] = [];
  for (const { raw, origin, base } of candidates) {
    const refuse: ReportFault = (at, complaint) => void problems.push(`${formatOrigin(origin, at)} ${complaint}`);
    const value = await parsedValue(origin.from === 'file' ? strict(setting) : setting, raw, base, refuse);
    parsed.push({ value, origin });
  }
  return parsed[0] ?? { value: setting.standard({ directory: input.workingDirectory }), origin: { from: 'default' } };
}

/** Flags and variables are always text; in the file a number is a number and a list is a list. */
function strict(setting: Setting<unknown>): Setting<unknown> {
  const { schema, parse } = setting;
  return schema === undefined
    ? setting
    : {
        ...setting,
        parse: (raw, base, refuse) => (fitsSchema(raw as JsonValue, schema) ? parse(raw, base, refuse) : undefined),
      };
}

/** A value with many parts reports each of its faults; any other value has one message. */
async function parsedValue(
  setting: Setting<unknown>,
  raw: unknown,
  base: BaseFolder,
  refuse: ReportFault,
): Promise<unknown> {
  let isReported = false;
  const value = await setting.parse(raw, base, (at, complaint) => {
    isReported = true;
    return refuse(at, complaint);
  });
  if (value === undefined && !isReported) {
    const reason = setting.reason?.(raw);
    refuse(
      '',
      reason === undefined ? `is ${shown(raw)}; allowed: ${setting.allowed}.` : `is ${shown(raw)}, which ${reason}.`,
    );
  }
  return value;
}

/**
 * The places of this setting's value, the strongest first. An empty variable counts as not given, as is usual in
 * compose files.
 */
function candidatesOf(
  name: SettingName,
  setting: Setting<unknown>,
  input: ConfigInput,
  file: ConfigFile | undefined,
): Candidate[] {
  const here = { directory: input.workingDirectory };
  const found: Candidate[] = [];
  const flag = input.flags[name];
  if (flag !== undefined && setting.flag !== undefined)
    found.push({ raw: flag, origin: { from: 'flag', name: setting.flag.split(' ', 1)[0] ?? name }, base: here });
  const text = setting.variable === undefined ? undefined : input.environment[setting.variable];
  if (text !== undefined && text !== '' && setting.variable !== undefined)
    found.push({ raw: text, origin: { from: 'environment', name: setting.variable }, base: here });
  const given: JsonValue | undefined = file?.values.get(setting.key);
  if (file !== undefined && given !== undefined)
    found.push({
      raw: given,
      origin: { from: 'file', name: `${setting.key} in ${file.path}` },
      base: { directory: dirname(file.path) },
    });
  return found;
}

function namedFile(input: ConfigInput, problems: string[]): { readonly path: string; readonly by: string } | undefined {
  const flag = input.flags['config'];
  if (typeof flag === 'string') return { path: resolve(input.workingDirectory, flag), by: '--config' };
  const variable = input.environment['LIBRETTO_CONFIG'];
  if (variable === undefined || variable === '') return undefined;
  const fault = pathFault(variable);
  if (fault === undefined) return { path: resolve(input.workingDirectory, variable), by: 'LIBRETTO_CONFIG' };
  problems.push(`LIBRETTO_CONFIG is ${shown(variable)}, which ${fault}.`);
  return undefined;
}

function formatProblems(problems: readonly string[]): string {
  if (problems.length === 1) return `The configuration cannot be used: ${problems[0]}`;
  return (
    `The configuration cannot be used, ${problems.length} things are ` +
    `wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`
  );
}

// Checks a value of libretto.json against the JSON Schema of its setting, so that editors and the program accept the
// same files. The check knows the few keywords that settings use. Rules beyond the form of a value belong to the
// setting itself. Pure.

function fitsSchema(value: JsonValue, { type, enum: values, pattern, minimum, maximum, items }: JsonObject): boolean {
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (type !== undefined && ![type].flat().some((allowed) => isOfType(value, allowed as string))) return false;
  if (typeof value === 'string') return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value);
  if (typeof value === 'number')
    return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum);
  return !Array.isArray(value) || !isJsonObject(items) || value.every((item: JsonValue) => fitsSchema(item, items));
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    default:
      return typeof value === type;
  }
}
