// Compares an entry of a file with what the registry has. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';

/** undefined: no field differs */
export function differences(wanted: JsonObject, present: JsonObject): JsonObject | undefined {
  const found = Object.entries(wanted).filter(([name, value]) => canonicalText(value) !== canonicalText(present[name]));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Equal for equal values, in any order of members. */
export function canonicalText(value: JsonValue | undefined): string {
  return (
    JSON.stringify(value, (_key, member: JsonValue) =>
      isJsonObject(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    ) ?? ''
  );
}
