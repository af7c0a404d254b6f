// Settings in the management API: grouped as in libretto.json, each with the origin of its value.

import { z } from 'zod';
import type { JsonValue } from '../../../build/contract/json.ts';
import { advertisable } from '../../settings/advertised.ts';
import { longestNotice, mostNotices } from '../../settings/client-notice.ts';
import { mostLicenses, settingDefinitions, settingKeys, type SettingKey } from '../../settings/definitions.ts';
import { longestText } from '../../settings/setting-kinds.ts';
import { mostPatterns } from '../../settings/package-patterns.ts';
import type { SettingPatch, SettingView } from '../../settings/settings.ts';

/** The service checks values; these schemas check their types alone, and document the limits. */
const number = z.number().int();
const text = z.string().meta({ maxLength: longestText });
const patterns = z.array(z.string().meta({ maxLength: 200 })).meta({ maxItems: mostPatterns });
const licenses = z.array(z.string().meta({ maxLength: 61 })).meta({ maxItems: mostLicenses });
const advertised = z.array(z.string().meta({ enum: [...advertisable] })).meta({ maxItems: advertisable.length });
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
const shapes = {
  'mirroring.enabled': z.boolean(),
  'mirroring.url': text,
  'mirroring.allow': patterns,
  'mirroring.deny': patterns,
  'mirroring.reserved': patterns,
  'mirroring.shared_vendors': patterns,
  'mirroring.minimum_age': number,
  'mirroring.licenses': licenses,
  'mirroring.license_rule': text,
  'mirroring.abandoned': text,
  'mirroring.fresh': number,
  'mirroring.missing': number,
  'publishing.keyless_only': patterns,
  metadata_url: text,
  advertise: advertised,
  warnings: clientNotices,
  infos: clientNotices,
  dist_url: text,
  'limits.read': number,
  'limits.write': number,
  'sessions.lifetime': number,
  'passwords.min_length': number,
  'people.packages': text,
  'retention.artifacts_days': number,
  'retention.statistics_days': number,
  'retention.jobs': number,
  'sync.parallel': number,
} as const satisfies Record<SettingKey, z.ZodType<JsonValue>>;

function rangeOf(key: SettingKey): { readonly minimum?: number; readonly maximum?: number } {
  const definition = settingDefinitions[key];
  return 'least' in definition ? { minimum: definition.least, maximum: definition.most } : {};
}

function shown<Key extends SettingKey>(key: Key) {
  const { description, allowed, standard } = settingDefinitions[key];
  const described = z.object({
    value: shapes[key].meta({
      ...rangeOf(key),
      description: `${description}. Must be ${allowed}`,
      default: standard,
    }),
    origin: z.enum(['default', 'file', 'environment', 'flag', 'api']).meta({
      description: 'the origin of the value. Precedence, lowest first: `default`, `file`, `api`, `environment`, `flag`',
    }),
    changeable: z.boolean().meta({ description: 'false: a flag or the environment fixes the value' }),
  });
  return described.meta({ description });
}

function taken<Key extends SettingKey>(key: Key) {
  const { description, allowed } = settingDefinitions[key];
  return shapes[key]
    .nullable()
    .optional()
    .meta({
      ...rangeOf(key),
      description: `${description}. Must be ${allowed}; null: the value in libretto.json, or the default`,
    });
}

const groups = {
  mirroring: 'packages of other registries',
  limits: 'requests per hour of a token',
  sessions: 'sessions of people',
  passwords: 'passwords of people',
  people: 'what people see',
  retention: 'retention periods',
  sync: 'syncs of registered repositories',
  publishing: 'uploads of packages',
} as const;

export const settingsSchema = z
  .object({
    mirroring: z
      .object({
        enabled: shown('mirroring.enabled'),
        url: shown('mirroring.url'),
        allow: shown('mirroring.allow'),
        deny: shown('mirroring.deny'),
        reserved: shown('mirroring.reserved'),
        shared_vendors: shown('mirroring.shared_vendors'),
        minimum_age: shown('mirroring.minimum_age'),
        licenses: shown('mirroring.licenses'),
        license_rule: shown('mirroring.license_rule'),
        abandoned: shown('mirroring.abandoned'),
        fresh: shown('mirroring.fresh'),
        missing: shown('mirroring.missing'),
      })
      .meta({ description: groups.mirroring }),
    metadata_url: shown('metadata_url'),
    advertise: shown('advertise'),
    warnings: shown('warnings'),
    infos: shown('infos'),
    dist_url: shown('dist_url'),
    limits: z.object({ read: shown('limits.read'), write: shown('limits.write') }).meta({ description: groups.limits }),
    sessions: z.object({ lifetime: shown('sessions.lifetime') }).meta({ description: groups.sessions }),
    passwords: z.object({ min_length: shown('passwords.min_length') }).meta({ description: groups.passwords }),
    people: z.object({ packages: shown('people.packages') }).meta({ description: groups.people }),
    retention: z
      .object({
        artifacts_days: shown('retention.artifacts_days'),
        statistics_days: shown('retention.statistics_days'),
        jobs: shown('retention.jobs'),
      })
      .meta({ description: groups.retention }),
    sync: z.object({ parallel: shown('sync.parallel') }).meta({ description: groups.sync }),
    publishing: z.object({ keyless_only: shown('publishing.keyless_only') }).meta({ description: groups.publishing }),
  })
  .meta({ id: 'Settings' });

export const settingsPatch = z
  .strictObject({
    mirroring: z
      .strictObject({
        enabled: taken('mirroring.enabled'),
        url: taken('mirroring.url'),
        allow: taken('mirroring.allow'),
        deny: taken('mirroring.deny'),
        reserved: taken('mirroring.reserved'),
        shared_vendors: taken('mirroring.shared_vendors'),
        minimum_age: taken('mirroring.minimum_age'),
        licenses: taken('mirroring.licenses'),
        license_rule: taken('mirroring.license_rule'),
        abandoned: taken('mirroring.abandoned'),
        fresh: taken('mirroring.fresh'),
        missing: taken('mirroring.missing'),
      })
      .optional()
      .meta({ description: groups.mirroring }),
    metadata_url: taken('metadata_url'),
    advertise: taken('advertise'),
    warnings: taken('warnings'),
    infos: taken('infos'),
    dist_url: taken('dist_url'),
    limits: z
      .strictObject({ read: taken('limits.read'), write: taken('limits.write') })
      .optional()
      .meta({ description: groups.limits }),
    sessions: z
      .strictObject({ lifetime: taken('sessions.lifetime') })
      .optional()
      .meta({ description: groups.sessions }),
    passwords: z
      .strictObject({ min_length: taken('passwords.min_length') })
      .optional()
      .meta({ description: groups.passwords }),
    people: z
      .strictObject({ packages: taken('people.packages') })
      .optional()
      .meta({ description: groups.people }),
    retention: z
      .strictObject({
        artifacts_days: taken('retention.artifacts_days'),
        statistics_days: taken('retention.statistics_days'),
        jobs: taken('retention.jobs'),
      })
      .optional()
      .meta({ description: groups.retention }),
    sync: z
      .strictObject({ parallel: taken('sync.parallel') })
      .optional()
      .meta({ description: groups.sync }),
    publishing: z
      .strictObject({ keyless_only: taken('publishing.keyless_only') })
      .optional()
      .meta({ description: groups.publishing }),
  })
  .meta({ id: 'SettingsPatch', example: { limits: { read: 5000 } } });

/** A key like `limits.read` becomes a property of an object `limits`. */
export function showSettings(views: readonly SettingView[]): z.infer<typeof settingsSchema> {
  const shownSettings: Record<string, unknown> = {};
  for (const { key, ...view } of views) {
    const [group = '', name] = key.split('.');
    shownSettings[group] =
      name === undefined ? view : { ...(shownSettings[group] as object | undefined), [name]: view };
  }
  return shownSettings as z.infer<typeof settingsSchema>;
}

/** The settings that a patch names, flat. */
export function flatPatch(patch: z.infer<typeof settingsPatch>): SettingPatch {
  const named = settingKeys.map((key) => {
    const [group = '', name] = key.split('.');
    const given = (patch as Readonly<Record<string, unknown>>)[group];
    return [
      key,
      name === undefined ? given : (given as Readonly<Record<string, unknown>> | undefined)?.[name],
    ] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as SettingPatch;
}
