// Which files somebody's git would have filtered when checking them out: Git LFS above all. Libretto never does.

import { compileAttributes, type AttributeFile } from './attribute-lookup.ts';
import { byteString } from './bytes.ts';

/** The name of a file's `filter`, if any. */
export function compileFilters(files: readonly AttributeFile[]): (path: string) => string | undefined {
  const lookup = compileAttributes(files, ['filter']);
  return (path) => {
    const value = lookup?.(byteString(path), false).get('filter');
    return typeof value === 'string' ? value : undefined;
  };
}
