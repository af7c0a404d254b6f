// Addresses that a package names, as far as a page may link to them. A package can name any text: only http and https
// become links. Pure.

import type { JsonValue } from '../../../../build/contract/json.ts';
import { parseUrl } from '../../../../build/contract/parse-url.ts';

/** The address, if a browser may open it. */
export function webAddress(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > 2000 || !/^https?:\/\/[^\s<>"']+$/i.test(value)) return undefined;
  return parseUrl(value)?.username === '' ? value : undefined;
}
