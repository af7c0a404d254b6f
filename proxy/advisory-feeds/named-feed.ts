// The names of feeds: the identifier of each is also the name of its file.

import { addressOf } from '../mirror/upstream/upstream-root.ts';

export interface NamedFeed {
  readonly id: string;
  readonly kind: 'osv' | 'upstream';
  /** its address, as people configured it */
  readonly url: string;
}

export function osvNamed(url: string): NamedFeed {
  return { id: 'osv', kind: 'osv', url };
}

/** `upstream`: as the mirror's rules have it. */
export function upstreamNamed({ id, url }: { readonly id: string; readonly url: string }): NamedFeed {
  return { id: `upstream-${id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}`, kind: 'upstream', url: addressOf(url) };
}
