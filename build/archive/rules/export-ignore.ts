// Which paths `git archive` leaves out: those whose attribute export-ignore is set, and everything below a folder where
// it is (archive.c).

import { compileAttributes, parentOf, rememberPerFolder, type AttributeFile } from './attribute-lookup.ts';
import { byteString } from './bytes.ts';

const attribute = 'export-ignore';

/**
 * Asked for a file's path, not a folder's. `root` is the package's own folder where that is not the repository's: rules
 * above it count for what is in it, but cannot leave out the package as a whole.
 */
export function compileExportIgnore(files: readonly AttributeFile[], root = ''): (path: string) => boolean {
  const lookup = compileAttributes(files, [attribute]);
  if (lookup === undefined) return () => false;
  const top = byteString(root);
  const isSet = (path: string, folder: boolean): boolean => lookup(path, folder).get(attribute) === true;
  const folderIgnored = rememberPerFolder(
    (folder): boolean => folder !== top && folder !== '' && (folderIgnored(parentOf(folder)) || isSet(folder, true)),
  );
  return (path) => {
    const bytes = byteString(path);
    return folderIgnored(parentOf(bytes)) || isSet(bytes, false);
  };
}
