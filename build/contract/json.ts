// The types of JSON values, so that no parsed value is `any`.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * Finds a string with half of a surrogate pair, which UTF-8 cannot encode and PHP cannot decode. Returns the keys that
 * lead there, those of a list as numbers; a bad key is named by its object. undefined: none.
 */
export function loneSurrogate(
  value: JsonValue | undefined,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly inKey: boolean } | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { path, inKey: false };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value) as [string, JsonValue][]) {
    const found = key.isWellFormed() ? loneSurrogate(inner, [...path, key]) : { path, inKey: true };
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The path of an object with a member named `__proto__`; undefined: there is none. Code that copies objects loses such
 * a member silently.
 */
export function protoMember(
  value: JsonValue,
  path: readonly (string | number)[] = [],
): readonly (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return [...path, '__proto__'];
  for (const [key, inner] of Object.entries(value) as [string, JsonValue][]) {
    const found = protoMember(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for `{…}`: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
