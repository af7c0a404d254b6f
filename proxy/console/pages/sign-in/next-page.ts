// The page that a person wanted before signing in. It comes from the address, so anybody can write a link with it: only
// a page of the console counts. Pure.

import type { Pages } from '../../frame/pages.ts';

const standard = '/overview';
/** Only the path and the query of a parsed address are used, so the host has no meaning. */
const base = 'http://console';

/** A path below /ui with its query. `text`: such a path; everything else gives the overview. */
export function nextPage(pages: Pick<Pages, 'find'>, text: string | null): string {
  if (text === null || !URL.canParse(text, base)) return standard;
  const { origin, pathname, search } = new URL(text, base);
  if (origin !== base) return standard;
  const found = pages.find(pathname);
  return found === undefined || found.kind === 'upload' ? standard : `${pathname}${search}`;
}
