// Adds to packages.json the facts that a build cannot know: the further routes of this service, and its notices to
// Composer users. A plain web server with the same tree offers none of these routes, so builds leave them out.

import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import type { ClientNotice } from './client-notice.ts';

/** Key of packages.json → its value: a path below the registry. */
const services = {
  search: '/search.json?q=%query%&type=%type%',
  list: '/list.json',
  'providers-api': '/providers/%package%.json',
  'notify-batch': '/downloads',
  'metadata-changes-url': '/metadata/changes.json',
} as const;

export type Advertisable = keyof typeof services;

export const advertisable = Object.keys(services) as readonly Advertisable[];

export function isAdvertisable(value: unknown): value is Advertisable {
  return advertisable.some((key) => key === value);
}

export interface Advertised {
  readonly advertise: readonly Advertisable[];
  readonly warnings: readonly ClientNotice[];
  readonly infos: readonly ClientNotice[];
}

/**
 * Uses a fixed order, independent of the settings' order: equal settings give an equal document. `path`: the one below
 * which clients reach the registry. Composer resolves addresses against the host alone (ComposerRepository.php,
 * canonicalizeUrl).
 */
export function advertisedKeys({ advertise, warnings, infos }: Advertised, path = ''): JsonObject {
  const keys: Record<string, JsonValue> = {};
  for (const key of advertisable) if (advertise.includes(key)) keys[key] = `${path}${services[key]}`;
  if (warnings.length > 0) keys['warnings'] = noticesOf(warnings);
  if (infos.length > 0) keys['infos'] = noticesOf(infos);
  return keys;
}

function noticesOf(notices: readonly ClientNotice[]): JsonValue {
  return notices.map(({ versions, message }) => ({ versions, message }));
}
