// The short form of p2 documents (`"minified": "composer/2.0"`): the first version stands in full, each later one only as what differs from the one
// before it; a field that is gone has the value `__unset` (composer/metadata-minifier, MetadataMinifier.php).

import type { JsonObject, JsonValue } from '../../build/contract/json.ts';

export const minifiedMark = 'composer/2.0';

const unset = '__unset';

/** Every version in full. Fields keep the order in which they first came. */
export function expandVersions(versions: readonly JsonObject[]): JsonObject[] {
  // a Map, since a field may be named like anything
  const current = new Map<string, JsonValue>();
  return versions.map((changes) => {
    for (const [field, value] of Object.entries(changes)) {
      if (value === undefined || value === unset) current.delete(field);
      else current.set(field, value);
    }
    return Object.fromEntries(current);
  });
}

/** What expandVersions makes equal versions of again. */
export function minifyVersions(versions: readonly JsonObject[]): JsonObject[] {
  let before = new Map<string, string>();
  return versions.map((version) => {
    const fields = Object.entries(version).filter((field): field is [string, JsonValue] => field[1] !== undefined);
    const now = new Map(fields.map(([field, value]) => [field, JSON.stringify(value)]));
    const gone = [...before.keys()].filter((field) => !now.has(field)).map((field): [string, JsonValue] => [field, unset]);
    const changed = fields.filter(([field]) => before.get(field) !== now.get(field));
    before = now;
    return Object.fromEntries([...changed, ...gone]);
  });
}
