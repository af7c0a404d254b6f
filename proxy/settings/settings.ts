// The settings in effect. A flag or an environment variable wins, then a value set through the API, then
// libretto.json, then the default. A change is one commit with its audit event. Every process sees it at the next
// check of the state's generation.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import {
  fitsSetting,
  settingDefinitions,
  settingFault,
  settingKeys,
  type SettingKey,
  type SettingValues,
} from './definitions.ts';
import { readStoredSettings, settingPrefix } from './stored-settings.ts';

export type SettingOrigin = 'flag' | 'environment' | 'api' | 'file' | 'default';

/** The settings from the start of the service. Missing keys have their default. */
export type Baseline = {
  readonly [Key in SettingKey]?: { readonly value: SettingValues[Key]; readonly origin: Exclude<SettingOrigin, 'api'> };
};

export interface SettingView {
  readonly key: SettingKey;
  readonly value: JsonValue;
  readonly origin: SettingOrigin;
  /** false: a flag or the environment fixes the value */
  readonly changeable: boolean;
}

/** null: no longer set here */
export type SettingPatch = Readonly<Partial<Record<SettingKey, JsonValue>>>;

export interface Settings {
  /** Returns a plain value, without a promise, while the settings are unchanged. */
  readonly current: () => MaybeAsync<SettingValues>;
  /** The values that were set in any place, without defaults. */
  readonly given: () => MaybeAsync<Partial<SettingValues>>;
  readonly describe: () => Promise<readonly SettingView[]>;
  /** Applies the whole patch or nothing. Throws INVALID_INPUT and SETTING_FIXED. */
  readonly update: (patch: SettingPatch, actor: Actor) => Promise<readonly SettingView[]>;
}

export interface SettingsOptions {
  readonly store: AuditedStore;
  readonly baseline: Baseline;
  /** The fault of a value with the right shape, for example a forbidden address. */
  readonly objection?: SettingObjection | undefined;
}

export type SettingObjection = (key: SettingKey, value: JsonValue) => Promise<string | undefined>;

interface Known {
  readonly generation: number;
  readonly values: SettingValues;
  readonly given: Partial<SettingValues>;
}

type Stored = Awaited<ReturnType<typeof readStoredSettings>>;

export function createSettings({ store, baseline, objection }: SettingsOptions): Settings {
  let known: Known | undefined;
  const load = async (generation: number): Promise<Known> => {
    const views = viewsOf(baseline, await readStoredSettings(store));
    known = {
      generation,
      values: valuesOf(views) as SettingValues,
      given: valuesOf(views.filter(({ origin }) => origin !== 'default')),
    };
    return known;
  };
  const read = (): MaybeAsync<Known> => {
    // read before the rows, so that any later commit makes this value outdated
    const generation = store.generation();
    return known?.generation === generation ? known : load(generation);
  };
  const describe = async (): Promise<readonly SettingView[]> => viewsOf(baseline, await readStoredSettings(store));
  return {
    current: () => andThen(read(), ({ values }) => values),
    given: () => andThen(read(), ({ given }) => given),
    describe,
    update: async (patch, actor) => {
      assertPatch(patch, baseline);
      await assertNoObjection(patch, objection);
      await apply(store, patch, actor);
      return describe();
    },
  };
}

/** Reads one setting, again on each call. */
export function settingOf<Key extends SettingKey>(
  settings: Pick<Settings, 'current'>,
  key: Key,
): () => Promise<SettingValues[Key]> {
  return async () => (await settings.current())[key];
}

function valuesOf(views: readonly SettingView[]): Partial<SettingValues> {
  return Object.fromEntries(views.map(({ key, value }) => [key, value])) as Partial<SettingValues>;
}

function viewsOf(baseline: Baseline, stored: Stored): SettingView[] {
  return settingKeys.map((key) => {
    const base = baseline[key];
    if (base !== undefined && isFixed(base.origin))
      return { key, value: base.value, origin: base.origin, changeable: false };
    const row = stored.get(key);
    // a value that another version allowed counts as not set
    if (row !== undefined && fitsSetting(key, row.value))
      return { key, value: row.value, origin: 'api', changeable: true };
    return {
      key,
      value: base?.value ?? settingDefinitions[key].standard,
      origin: base?.origin ?? 'default',
      changeable: true,
    };
  });
}

function isFixed(origin: SettingOrigin): boolean {
  return origin === 'flag' || origin === 'environment';
}

function assertPatch(patch: SettingPatch, baseline: Baseline): void {
  const given = entriesOf(patch);
  const issues = given.flatMap(([key, value]) => {
    const message = value === null ? undefined : settingFault(key, value);
    return message === undefined ? [] : [{ path: key, message }];
  });
  if (issues.length > 0) throw invalidInput(...issues);
  const fixed = given.flatMap(([key]) => (isFixed(baseline[key]?.origin ?? 'default') ? [key] : []));
  if (fixed.length > 0) {
    throw new RegistryError('SETTING_FIXED', {
      message:
        `A flag or environment variable of the server fixes: ${fixed.join(', ')}. Change it there and restart ` +
        'the server.',
      details: { settings: fixed },
    });
  }
}

/** Throws INVALID_INPUT with every key that the objection concerns. */
async function assertNoObjection(patch: SettingPatch, objection: SettingObjection | undefined): Promise<void> {
  if (objection === undefined) return;
  const given = entriesOf(patch).filter(([, value]) => value !== null);
  const found = await Promise.all(
    given.map(async ([key, value]) => ({ path: key, message: await objection(key, value) })),
  );
  const issues = found.flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
  if (issues.length > 0) throw invalidInput(...issues);
}

async function apply(store: AuditedStore, patch: SettingPatch, actor: Actor): Promise<void> {
  for (;;) {
    const stored = await readStoredSettings(store);
    const changes = entriesOf(patch).filter(
      ([key, value]) => JSON.stringify(stored.get(key)?.value ?? null) !== JSON.stringify(value),
    );
    if (changes.length === 0) return;
    const done = await store.commit(
      {
        conditions: changes.map(([key]) => ({
          key: `${settingPrefix}${key}`,
          revision: stored.get(key)?.revision ?? null,
        })),
        puts: changes.flatMap(([key, value]) => (value === null ? [] : [{ key: `${settingPrefix}${key}`, value }])),
        deletes: changes.flatMap(([key, value]) => (value === null ? [`${settingPrefix}${key}`] : [])),
      },
      {
        actor,
        action: 'settings.update',
        subject: 'settings',
        details: Object.fromEntries(
          changes.map(([key, value]) => [key, { from: stored.get(key)?.value ?? null, to: value }]),
        ),
      },
    );
    if (done) return;
  }
}

function entriesOf(patch: SettingPatch): (readonly [SettingKey, JsonValue])[] {
  return settingKeys.flatMap((key) => (patch[key] === undefined ? [] : [[key, patch[key]] as const]));
}
