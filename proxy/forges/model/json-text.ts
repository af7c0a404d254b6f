// Parses JSON of a forge, which may be the login page of a proxy instead.

import type { JsonValue } from '../../../build/contract/json.ts';

/** undefined: the text is not JSON. */
export function parseJsonText(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // each caller has its own words for it
  }
}
