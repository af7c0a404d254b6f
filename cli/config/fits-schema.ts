// Checks a value of libretto.json against the JSON Schema of its setting, so that editors and the program accept the
// same files. The check knows the few keywords that settings use. Rules beyond the form of a value belong to the
// setting itself. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';

export function fitsSchema(
  value: JsonValue,
  { type, enum: values, pattern, minimum, maximum, items }: JsonObject,
): boolean {
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
