// A relative path that a file brings: a backup's record, an index, a received tree, an archive. It is read segment by
// segment, because `^`, `.` and `$` of a regular expression miss line feeds.

import type { Branded } from './brand.ts';

/** `a/b/c`: a place below any folder that it is joined to, on every system. */
export type RelativePath = Branded<string, 'RelativePath'>;

/** The path, or the reason why it is none. Other rules, such as those for names in archives, are on top of this one. */
export function parseRelativePath(text: string): { readonly path: RelativePath } | { readonly refusal: string } {
  if (text === '') return { refusal: 'it is empty' };
  if (text.startsWith('/')) return { refusal: 'it is absolute' };
  if (/^[A-Za-z]:/.test(text)) return { refusal: 'it starts with a drive letter' };
  const segments = text.split(/[/\\]/);
  if (segments.includes('')) return { refusal: 'it has an empty segment' };
  const bad = segments.find((segment) => segment === '.' || segment === '..' || segment.includes('\0'));
  return bad === undefined ? { path: text as RelativePath } : { refusal: `it has a ${JSON.stringify(bad)} segment` };
}
