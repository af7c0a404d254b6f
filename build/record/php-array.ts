// JSON as PHP represents it: arrays and objects are one type, and null counts as absent. PHP turns a key that looks
// like an integer into one, and Composer's strictly typed code fails on it.

import { isJsonObject, type JsonValue } from '../contract/json.ts';

/** `isset()` */
export function isSet(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

/** Keys and values of a PHP array, or undefined for every other value. Keys are strings here, also those of a list. */
export function entriesOf(value: JsonValue): readonly (readonly [key: string, value: JsonValue])[] | undefined {
  if (!Array.isArray(value) && !isJsonObject(value)) return undefined;
  return Object.entries(value).map(([key, entry]) => [key, entry ?? null]);
}

/** True if PHP turns this key into an integer. */
export function isIntegerKey(key: string): boolean {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(key);
}
