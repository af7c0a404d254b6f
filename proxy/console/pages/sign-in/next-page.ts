// The page that a person wanted before signing in. It comes from the address, so anybody can write a link with it: only
// a page of the console counts. Pure.

import type { Pages } from '../../frame/pages.ts';
import { parseUrl } from '../../../../build/contract/parse-url.ts';

const standard = '/overview';
/** Only the path and the query of a parsed address are used, so the host has no meaning. */
const base = 'http://console';

/** A path below /ui with its query. `text`: such a path; everything else gives the overview. */
export function nextPage(pages: Pick<Pages, 'find'>, text: string | null): string {
  const url = text === null ? undefined : parseUrl(text, base);
  if (url?.origin !== base) return standard;
  const { pathname, search } = url;
  const found = pages.find(pathname);
  // nobody wants to a page of signing in, once it is done
  const isWanted = found !== undefined && found.kind !== 'upload' && found.definition.operation !== 'login';
  return isWanted ? `${pathname}${search}` : standard;
}
