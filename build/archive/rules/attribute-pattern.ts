// One pattern of a .gitattributes file. The syntax is that of gitignore, without negation, and a match of a folder
// does not apply to the files below it. The sources are gitattributes(5), and parse_path_pattern, match_basename and
// match_pathname in git's dir.c.

import type { CountWork } from './linear-matcher.ts';
import { compileWildmatch } from './wildmatch.ts';

/** A path as a pattern sees it, in byte strings. */
export interface PatternSubject {
  /** relative to the folder of the .gitattributes file; a folder has no slash at its end */
  readonly relative: string;
  /** the last segment of `relative` */
  readonly name: string;
  readonly folder: boolean;
}

export type AttributePattern = (candidate: PatternSubject) => boolean;

const special = /[*?[\\]/;

/**
 * A pattern without a slash matches the last segment alone, at any depth. One with a slash matches the whole path below
 * the folder. Git compares the part before the first wildcard byte by byte, and matches only the rest as a glob. In
 * `lib**` before a slash the stars therefore count as a whole segment. undefined for a negated pattern, which git
 * ignores in attributes.
 */
export function compileAttributePattern(text: string, count: CountWork): AttributePattern | undefined {
  if (text.startsWith('!')) return undefined;
  const foldersOnly = text.endsWith('/');
  const pattern = foldersOnly ? text.slice(0, -1) : text;
  const subject = pattern.includes('/') ? 'relative' : 'name';
  const anchored = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  const [literal = ''] = anchored.split(special, 1);
  const matches = compileWildmatch(anchored.slice(literal.length), count);
  return ({ folder, [subject]: path }) =>
    (folder || !foldersOnly) && path.startsWith(literal) && matches(path.slice(literal.length));
}
