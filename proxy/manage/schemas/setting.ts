// Settings as the management API shows and takes them: grouped as in libretto.json, each with where it comes from.

import { z } from '@hono/zod-openapi';
import type { JsonValue } from '../../../build/contract/json.ts';
import { settingDefinitions, settingKeys, type SettingKey } from '../../settings/definitions.ts';
import type { SettingPatch, SettingView } from '../../settings/settings.ts';

/** Shapes only: what a value may be beyond that, the service says. */
const number = z.number().int();
const clientNotices = z.array(z.strictObject({ versions: z.string().openapi({ description: 'of Composer', example: '<2.5' }), message: z.string().openapi({ example: 'Please update Composer.' }) }));
const shapes = {
  'mirroring.enabled': z.boolean(),
  'mirroring.url': z.string(),
  'mirroring.allow': z.array(z.string()),
  'mirroring.deny': z.array(z.string()),
  'mirroring.reserved': z.array(z.string()),
  'mirroring.shared_vendors': z.array(z.string()),
  'mirroring.minimum_age': number,
  'mirroring.licenses': z.array(z.string()),
  'mirroring.license_rule': z.string(),
  'mirroring.abandoned': z.string(),
  'mirroring.fresh': number,
  'mirroring.missing': number,
  metadata_url: z.string(),
  advertise: z.array(z.string()),
  warnings: clientNotices,
  infos: clientNotices,
  dist_url: z.string(),
  'limits.read': number,
  'limits.write': number,
  'sessions.lifetime': number,
  'passwords.min_length': number,
  'retention.artifacts_days': number,
  'retention.statistics_days': number,
  'retention.jobs': number,
} as const satisfies Record<SettingKey, z.ZodType<JsonValue>>;

function described<Key extends SettingKey>(key: Key) {
  const { description, allowed, standard } = settingDefinitions[key];
  return { description: `${description}. Must be ${allowed}`, default: standard };
}

function shown<Key extends SettingKey>(key: Key) {
  return z.object({
    value: shapes[key].openapi(described(key)),
    origin: z.enum(['default', 'file', 'environment', 'flag', 'api']).openapi({ description: 'where it comes from; of several the last in this order wins, but for `api`, which stands between `file` and `environment`' }),
    changeable: z.boolean().openapi({ description: 'false: the environment or a flag fixes it' }),
  });
}

function taken<Key extends SettingKey>(key: Key) {
  const { description, allowed } = settingDefinitions[key];
  return shapes[key].nullable().optional().openapi({ description: `${description}. Must be ${allowed}; null: as libretto.json or the default say` });
}

export const settingsSchema = z
  .object({
    mirroring: z.object({
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
    }),
    metadata_url: shown('metadata_url'),
    advertise: shown('advertise'),
    warnings: shown('warnings'),
    infos: shown('infos'),
    dist_url: shown('dist_url'),
    limits: z.object({ read: shown('limits.read'), write: shown('limits.write') }),
    sessions: z.object({ lifetime: shown('sessions.lifetime') }),
    passwords: z.object({ min_length: shown('passwords.min_length') }),
    retention: z.object({ artifacts_days: shown('retention.artifacts_days'), statistics_days: shown('retention.statistics_days'), jobs: shown('retention.jobs') }),
  })
  .openapi('Settings');

export const settingsPatch = z
  .strictObject({
    mirroring: z.strictObject({
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
    }).optional(),
    metadata_url: taken('metadata_url'),
    advertise: taken('advertise'),
    warnings: taken('warnings'),
    infos: taken('infos'),
    dist_url: taken('dist_url'),
    limits: z.strictObject({ read: taken('limits.read'), write: taken('limits.write') }).optional(),
    sessions: z.strictObject({ lifetime: taken('sessions.lifetime') }).optional(),
    passwords: z.strictObject({ min_length: taken('passwords.min_length') }).optional(),
    retention: z.strictObject({ artifacts_days: taken('retention.artifacts_days'), statistics_days: taken('retention.statistics_days'), jobs: taken('retention.jobs') }).optional(),
  })
  .openapi('SettingsPatch', { example: { limits: { read: 5000 } } });

/** `limits.read` stands in an object `limits`. */
export function showSettings(views: readonly SettingView[]): z.infer<typeof settingsSchema> {
  const shownSettings: Record<string, unknown> = {};
  for (const { key, ...view } of views) {
    const [group = '', name] = key.split('.');
    shownSettings[group] = name === undefined ? view : { ...(shownSettings[group] as object | undefined), [name]: view };
  }
  return shownSettings as z.infer<typeof settingsSchema>;
}

/** The settings that a patch names, flat. */
export function flatPatch(patch: z.infer<typeof settingsPatch>): SettingPatch {
  const named = settingKeys.map((key) => {
    const [group = '', name] = key.split('.');
    const given = (patch as Readonly<Record<string, unknown>>)[group];
    return [key, name === undefined ? given : (given as Readonly<Record<string, unknown>> | undefined)?.[name]] as const;
  });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as SettingPatch;
}
