// The short form of p2 documents (`"minified": "composer/2.0"`). The first version has all fields; each later one has
// only the differences from the one before. A removed field has the value `__unset` (composer/metadata-minifier,
// MetadataMinifier.php).

import type { JsonObject, JsonValue } from '../../../build/contract/json.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { bytesOfMember, mostOfRecord, weightOf } from '../../../build/shared/json/json-weight.ts';

export const minifiedMark = 'composer/2.0';

const unset = '__unset';

/** Takes the versions one after the other, and gives each in full. Fields keep the order in which they first came. */
export function createExpander(): (changes: JsonObject) => JsonObject {
  // a Map, since a field may be named like anything
  const current = new Map<string, JsonValue>();
  return (changes) => {
    for (const [field, value] of Object.entries(changes)) {
      if (value === undefined || value === unset) current.delete(field);
      else current.set(field, value);
    }
    return Object.fromEntries(current);
  };
}

/**
 * Characters, about. A few megabytes can mean many gigabytes in full; 10 500 versions with 30 requirements each are 23
 * MB.
 */
const mostExpanded = 64 * 1024 ** 2;
const mostFields = 1000;

/**
 * Returns every version in full, and yields to other requests. Rejects before the expansion if the result would be too
 * large.
 */
export async function expandYielding(
  versions: readonly JsonObject[],
  most: number = mostExpanded,
): Promise<readonly JsonObject[]> {
  const sizeOf = createSizeMeter();
  let total = 0;
  await mapYielding(versions, (changes) => {
    total += sizeOf(changes);
    if (total > most)
      throw new Error(`it is minified, and would have more than ${Math.round(most / 1024 ** 2)} MB in full`);
  });
  return mapYielding(versions, createExpander());
}

/**
 * Takes the versions in order, and returns the full size of each. An oversized field counts only up to the limit of a
 * version.
 */
function createSizeMeter(): (changes: JsonObject) => number {
  const weights = new Map<string, number>();
  let weight = 0;
  return (changes) => {
    for (const [field, value] of Object.entries(changes)) {
      weight -= weights.get(field) ?? 0;
      weights.delete(field);
      if (value === undefined || value === unset) continue;
      const own = bytesOfMember + field.length + weightOf(value, mostOfRecord);
      weights.set(field, own);
      weight += own;
      if (weights.size > mostFields) throw new Error(`a version in it has more than ${mostFields} fields`);
    }
    return weight;
  };
}

/** Takes the versions one after the other, and gives each in the short form. */
export function createMinifier(): (version: JsonObject) => JsonObject {
  let before = new Map<string, JsonValue>();
  return (version) => {
    const fields = Object.entries(version).filter((field): field is [string, JsonValue] => field[1] !== undefined);
    const now = new Map(fields);
    const gone = [...before.keys()]
      .filter((field) => !now.has(field))
      .map((field): [string, JsonValue] => [field, unset]);
    const changed = fields.filter(([field, value]) => !isSame(before.get(field), value));
    before = now;
    return Object.fromEntries([...changed, ...gone]);
  };
}

/** Fields of versions that were expanded are mostly the very same values: those need not be written out. */
function isSame(one: JsonValue | undefined, other: JsonValue): boolean {
  return (
    one === other ||
    (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))
  );
}
