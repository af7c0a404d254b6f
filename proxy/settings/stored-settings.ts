// Reads the settings that were changed while the registry ran: the state row `setting/<key>` has the value. Every
// build loads this file, which therefore imports little.

import type { JsonValue } from '../../build/contract/json.ts';
import type { StateStore } from '../core/state/state-store.ts';

export const settingPrefix = 'setting/';

/** Key to value, as stored: the users of a value check it. */
export async function readStoredSettings(
  store: Pick<StateStore, 'range'>,
): Promise<ReadonlyMap<string, { readonly value: JsonValue; readonly revision: number }>> {
  return new Map(
    (await store.range(settingPrefix)).map(
      ({ key, value, revision }) => [key.slice(settingPrefix.length), { value, revision }] as const,
    ),
  );
}

/** The name and the colour that people gave the registry. */
export async function readBranding(
  store: Pick<StateStore, 'range'>,
): Promise<{ readonly name?: string; readonly color?: string }> {
  const stored = await readStoredSettings(store);
  const given = ['name', 'color'].map((key) => [key, stored.get(`branding.${key}`)?.value]);
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
}
