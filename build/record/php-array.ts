// JSON as PHP has it: arrays and objects become one and the same thing, null counts as absent, and a key that looks
// like an integer becomes one, which Composer's strictly typed code then chokes on.

import { isJsonObject, type JsonValue } from '../contract/json.ts';

/** `isset()` */
export function isSet(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

/**
 * Keys and values of what PHP calls an array, or undefined for everything else. Keys are strings here, also those of a
 * list.
 */
export function entriesOf(value: JsonValue): readonly (readonly [key: string, value: JsonValue])[] | undefined {
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined;
  return Object.entries(value).map(([key, entry]) => [key, entry ?? null]);
}

/** Whether PHP turns this key into an integer. */
export function isIntegerKey(key: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(key);
}
