// Finds a claim by its name (`groups`), by a path (`realm_access.roles`) or by a JSON Pointer (`/realm_access/roles`).
// Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';

/** undefined: the claims have none. */
export function claimAt(claims: JsonObject, claim: string): JsonValue | undefined {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  if (claim.startsWith('/')) return valueAtPointer(claims, claim);
  return valueAtPath(claims, claim.split('.'));
}

/** Names may contain dots themselves, so longer names are tried first. */
function valueAtPath(claims: JsonObject, parts: readonly string[]): JsonValue | undefined {
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('.');
    if (!Object.hasOwn(claims, name)) continue;
    const [value, rest] = [claims[name], parts.slice(length)];
    const found = rest.length === 0 ? value : isJsonObject(value) ? valueAtPath(value, rest) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** RFC 6901, through objects alone. */
function valueAtPointer(claims: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = claims;
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
