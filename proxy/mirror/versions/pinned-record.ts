// Pins the fields of an accepted release's record that decide which packages Composer installs. Other fields, such as
// the description and the support links, may still change. Pure.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';

const settledFields = [
  'type',
  'require',
  'replace',
  'provide',
  'conflict',
  'autoload',
  'include-path',
  'target-dir',
  'bin',
] as const;

/**
 * Equal texts for records whose pinned fields have the same meaning: the order of keys does not matter, and a missing
 * list equals an empty one.
 */
export function pinnedFields(record: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify(settledFields.map((field) => formOf(field, record[field]))))
    .digest('base64')
    .slice(0, 22);
}

/** The pinned fields that differ. */
export function changedFields(one: JsonObject, other: JsonObject): readonly string[] {
  return settledFields.filter((field) => formOf(field, one[field]) !== formOf(field, other[field]));
}

/** `record` with these fields as `accepted` has them. */
export function withPinnedFields(record: JsonObject, accepted: JsonObject): JsonObject {
  const fields: ReadonlySet<string> = new Set(settledFields);
  return Object.fromEntries([
    ...Object.entries(record).filter(([field]) => !fields.has(field)),
    ...settledFields.flatMap((field) => (accepted[field] === undefined ? [] : [[field, accepted[field]] as const])),
  ]);
}

/**
 * Empty for a field without effect. A missing type is `library`, and a single binary need not be a list
 * (ArrayLoader.php, createObject and configureObject).
 */
function formOf(field: (typeof settledFields)[number], value: JsonValue | undefined): string {
  if (field === 'type') return typeof value === 'string' ? value.toLowerCase() : 'library';
  const meant = field === 'bin' && typeof value === 'string' ? [value] : value;
  const isEmpty =
    meant === undefined ||
    meant === null ||
    meant === '' ||
    (Array.isArray(meant) ? meant.length === 0 : isJsonObject(meant) && Object.keys(meant).length === 0);
  return isEmpty
    ? ''
    : JSON.stringify(meant, (_key, inner: JsonValue) =>
        isJsonObject(inner)
          ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      );
}
