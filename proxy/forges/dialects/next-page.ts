// Finds the next page of a list. Only the query of the address is taken: host and path stay those of the first page, so
// that no answer leads the credentials to another place.

import type { JsonValue } from '../../../build/contract/json.ts';
import { objectOf, textOf } from './fields.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

const longest = 2000;

/** The query of the page with rel="next" in a Link header (RFC 8288), or of the field `next`; undefined: the last page. */
export function nextQuery(link: string | undefined, body: JsonValue, nextIn: 'link' | 'body'): string | undefined {
  const address = nextIn === 'body' ? textOf(objectOf(body)?.['next']) : nextOfLink(link ?? '');
  if (address === undefined || address.length > longest) return undefined;
  const search = parseUrl(address)?.search ?? '';
  return search === '' ? undefined : search.slice(1);
}

function nextOfLink(link: string): string | undefined {
  return link
    .slice(0, 10 * longest)
    .split(/,\s*(?=<)/)
    .map((one) => /^\s*<([^<>]*)>(.*)$/s.exec(one))
    .find((parts) => /;\s*rel\s*=\s*(?:"(?:[^"]* )?next(?: [^"]*)?"|next(?:\s*;|\s*$))/i.test(parts?.[2] ?? ''))?.[1];
}
