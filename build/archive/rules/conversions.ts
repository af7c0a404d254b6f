// Finds the files whose bytes `git archive` changes because of these attributes: `export-subst`, `ident`, `eol=crlf`
// and `working-tree-encoding` (archive.c, object_file_to_archive; convert.c). This file only names the files and their
// differences; git itself makes the bytes. Line feeds are preserved on every system, unless a rule converts them. A
// `filter` is a command in a user's git configuration, and never runs.

import { compileAttributes, type AttributeFile, type AttributeValue } from './attribute-lookup.ts';
import { byteString } from './bytes.ts';

export interface Conversion {
  /** equal for two files of equal bytes: git makes the same of them, as far as it does not depend on the commit */
  readonly key: string;
  /** placeholders are replaced by facts of the commit */
  readonly ofCommit: boolean;
}

const attributes = ['export-subst', 'ident', 'text', 'crlf', 'eol', 'working-tree-encoding'] as const;
const causes: ReadonlySet<string> = new Set(['export-subst', 'ident', 'eol', 'working-tree-encoding']);

/** Takes the path of a file that is no symlink; undefined: the blob's own bytes. */
export function compileConversions(files: readonly AttributeFile[]): (path: string) => Conversion | undefined {
  if (compileAttributes(files, [...causes]) === undefined) return () => undefined;
  const lookup = compileAttributes(files, attributes);
  return (path) => {
    const values = lookup?.(byteString(path), false);
    return values !== undefined && changesBytes(values)
      ? { key: keyOf(values), ofCommit: values.get('export-subst') === true }
      : undefined;
  };
}

/** `eol` alone marks a file as text, and `-text` reverts the mark. git itself refuses an unknown encoding. */
function changesBytes(values: ReadonlyMap<string, AttributeValue>): boolean {
  if (values.get('export-subst') === true || values.get('ident') === true) return true;
  if (values.get('eol') === 'crlf' && values.get('text') !== false) return true;
  const encoding = values.get('working-tree-encoding');
  return encoding !== undefined && encoding !== '' && !(typeof encoding === 'string' && /^utf-?8$/i.test(encoding));
}

function keyOf(values: ReadonlyMap<string, AttributeValue>): string {
  return attributes
    .flatMap((name) => (values.get(name) === undefined ? [] : [`${name}=${String(values.get(name))}`]))
    .join(' ');
}
