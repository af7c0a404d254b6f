// What can be done with the settings: their schemas, which follow from their definitions, and the operations that API,
// commands and console call. The documents are grouped as libretto.json is.

import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { operation } from '../registry/operation.ts';
import { advertisable } from './advertised.ts';
import { longestNotice, mostNotices } from './client-notice.ts';
import { mostLicenses, settingDefinitions, settingKeys, type SettingKey } from './definitions.ts';
import { mostPatterns } from './package-patterns.ts';
import { resetField, settingPage } from './setting-groups.ts';
import { longestText } from './setting-kinds.ts';
import type { SettingPatch, Settings, SettingView } from './settings.ts';

export interface SettingServices {
  readonly settings: Settings;
}

const clientNotices = z
  .array(
    z.strictObject({
      versions: z
        .string()
        .meta({ description: 'a constraint for the version of Composer', example: '<2.5', maxLength: 200 }),
      message: z.string().meta({
        description: 'the text that Composer prints',
        example: 'Please update Composer.',
        maxLength: longestNotice,
      }),
    }),
  )
  .meta({ maxItems: mostNotices });
const patterns = z.array(z.string().meta({ maxLength: 200 })).meta({ maxItems: mostPatterns });
const otherLists: Partial<Record<SettingKey, z.ZodType<JsonValue>>> = {
  'mirroring.licenses': z.array(z.string().meta({ maxLength: 61 })).meta({ maxItems: mostLicenses }),
  advertise: z.array(z.string().meta({ enum: [...advertisable] })).meta({ maxItems: advertisable.length }),
  warnings: clientNotices,
  infos: clientNotices,
};

/** The service checks values. This schema checks their type alone, and documents the limits. */
function shapeOf(key: SettingKey): z.ZodType<JsonValue> {
  const definition = settingDefinitions[key];
  const { standard } = definition;
  if (Array.isArray(standard)) return otherLists[key] ?? patterns;
  if (typeof standard === 'boolean') return z.boolean();
  return 'least' in definition
    ? z.number().int().meta({ minimum: definition.least, maximum: definition.most })
    : z.string().meta({ maxLength: longestText });
}

function shown(key: SettingKey): z.ZodType {
  const { description, allowed, standard } = settingDefinitions[key];
  return z
    .object({
      value: shapeOf(key).meta({ description: `${description}. Must be ${allowed}`, default: standard }),
      origin: z.enum(['default', 'file', 'environment', 'flag', 'api']).meta({
        description:
          'the origin of the value. Precedence, lowest first: `default`, `file`, `api`, `environment`, `flag`',
      }),
      changeable: z.boolean().meta({ description: 'false: a flag or the environment fixes the value' }),
    })
    .meta({ description });
}

function taken(key: SettingKey): z.ZodType {
  const { description, allowed } = settingDefinitions[key];
  return shapeOf(key)
    .nullable()
    .optional()
    .meta({ description: `${description}. Must be ${allowed}; null: the value in libretto.json, or the default` });
}

const groups: Readonly<Record<string, string>> = {
  branding: 'how the console presents the registry',
  mirroring: 'packages of other registries',
  limits: 'requests per hour of a token',
  sessions: 'sessions of people',
  passwords: 'passwords of people',
  people: 'what people see',
  retention: 'retention periods',
  statistics: 'downloads and installs',
  sync: 'syncs of registered repositories',
  publishing: 'uploads of packages',
};

type Shape = Record<string, z.ZodType>;

/** The schemas of all settings; those of a group as the object that `group` makes. */
function grouped(schemaOf: (key: SettingKey) => z.ZodType, group: (shape: Shape) => z.ZodType): Shape {
  const shapes: Record<string, z.ZodType | Shape> = {};
  for (const key of settingKeys) putAt(shapes, key, schemaOf(key));
  return Object.fromEntries(
    Object.entries(shapes).map(([name, one]) => {
      const description = groups[name];
      return [name, description === undefined ? (one as z.ZodType) : group(one as Shape).meta({ description })];
    }),
  );
}

/** A key like `limits.read` becomes a property of an object `limits`. */
function putAt<Value>(target: Record<string, Value | Record<string, Value>>, key: SettingKey, value: Value): void {
  const [group = '', name] = key.split('.');
  target[group] =
    name === undefined ? value : { ...(target[group] as Record<string, Value> | undefined), [name]: value };
}

const settingsSchema = z.object(grouped(shown, (shape) => z.object(shape))).meta({ id: 'Settings' });
const settingsPatch = z
  .strictObject(grouped(taken, (shape) => z.strictObject(shape).optional()))
  .meta({ id: 'SettingsPatch', example: { limits: { read: 5000 } } });

const all = { tag: 'Settings', path: '/api/settings', answer: settingsSchema } as const;

export const getSettings = operation({
  ...all,
  id: 'getSettings',
  method: 'get',
  summary: 'Get the settings',
  description:
    'The settings that can be changed while the registry runs, with the origin of each value: a flag or the ' +
    'environment (fixed), a change at run time, libretto.json, or the default.',
  answers: 'the settings',
  run: async ({ settings }: SettingServices) => documentOf(await settings.describe()),
});

export const updateSettings = operation({
  ...all,
  id: 'updateSettings',
  method: 'patch',
  summary: 'Change settings',
  description:
    'Only the given settings change, all of them or none. null removes a change made at run time. Changes take ' +
    'effect at once in every process; `dist_url` takes effect with the next build.',
  body: settingsPatch,
  answers: 'the settings after the change',
  errors: ['SETTING_FIXED'],
  /** of one setting: its group has a form */
  formFor: (patch) => {
    const [[key = '', value] = []] = Object.entries(flatPatch(patch));
    const isReset = value === null || value === undefined;
    return {
      path: settingPage(key),
      fields: isReset ? { [resetField(key)]: 'on' } : { [key]: settingFieldText(value) },
    };
  },
  run: async ({ settings }: SettingServices, patch, { actor }) =>
    documentOf(await settings.update(flatPatch(patch), actor)),
});

export const settingOperations = [getSettings, updateSettings];

/** The patch that changes these settings. null: no longer set here. */
export function patchOf(changes: Iterable<readonly [SettingKey, JsonValue]>): JsonObject {
  const patch: Record<string, JsonValue | Record<string, JsonValue>> = {};
  for (const [key, value] of changes) putAt(patch, key, value);
  return patch as JsonObject;
}

/** The settings of a document, flat, with those of another version too. */
export function settingViews(document: object, prefix = ''): readonly SettingView[] {
  return Object.entries(document).flatMap(([name, one]: [string, object]) =>
    'origin' in one ? [{ key: `${prefix}${name}`, ...one } as SettingView] : settingViews(one, `${name}.`),
  );
}

/** A value in the field of a form: a list has one line for each entry. */
export function settingFieldText(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'on' : '';
  return Array.isArray(value) ? value.map(settingLine).join('\n') : String(value);
}

/** An entry of a list: a notice is `<2.5: text`. */
export function settingLine(value: JsonValue): string {
  return isJsonObject(value) ? `${String(value['versions'])}: ${String(value['message'])}` : String(value);
}

function documentOf(views: readonly SettingView[]): Record<string, unknown> {
  const document: Record<string, object> = {};
  for (const { key, ...view } of views) putAt<object>(document, key, view);
  return document;
}

/** The settings that a patch names, flat. */
function flatPatch(patch: Readonly<Record<string, unknown>>): SettingPatch {
  const named = settingKeys.map((key) => {
    const [group = '', name] = key.split('.');
    const given = patch[group];
    return [
      key,
      name === undefined ? given : (given as Readonly<Record<string, unknown>> | undefined)?.[name],
    ] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as SettingPatch;
}
