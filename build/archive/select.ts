// Selects the files of a package that go into its archive, by these rules in this order:
//
// | rule                                       | effect                                                                        |
// |--------------------------------------------|-------------------------------------------------------------------------------|
// | folders and files of version control       | out, always: `.git` `.svn` `.hg` `.bzr` `.jj` `_darcs`, at any depth          |
// | composer.json at the root                  | in; out in a git source with a matching export-ignore, as in `git archive`    |
// | `.gitattributes`, export-ignore            | out, exactly as `git archive` does                                            |
// | composer.json, `archive.exclude`           | out, or with `!` in again, exactly as `composer archive` does                 |
// | names of credentials (credentials.ts)      | out, even if other rules include them, and listed as withheld                 |
//
// `.gitattributes` and `.gitignore` themselves are ordinary files. Other rules have no effect: .gitignore, .hgignore and
// the git settings of the machine.

import { createTurns } from '../shared/concurrency/yielding.ts';
import { parentPath } from '../shared/text/parent-path.ts';
import { compileAttributes, rememberPerFolder, type AttributeFile } from './rules/attribute-lookup.ts';
import { byteString } from './rules/bytes.ts';
import { compileComposerExcludes } from './rules/composer-exclude.ts';
import { isCredential } from './rules/credentials.ts';
import { createWorkCount, type CountWork } from './rules/linear-matcher.ts';

export interface ArchiveRules {
  /**
   * all .gitattributes files of the package and above it, in any order; their folders are relative to the topmost one's
   * folder
   */
  readonly attributes: readonly AttributeFile[];
  /** `archive.exclude` of its composer.json */
  readonly excludes: readonly string[];
  /** the package's folder as the attributes see it, like `packages/a`; default: the topmost itself */
  readonly folder?: string;
  /**
   * export-ignore takes composer.json out as well, unless `archive.exclude` takes it in again; default: it always stays
   * in
   */
  readonly mayLackComposerJson?: boolean;
}

export interface FileSelection<File> {
  readonly files: File[];
  /** paths left out only because they look like credentials */
  readonly withheld: string[];
}

const versionControl = /(?:^|\/)(?:\.git|\.svn|\.hg|\.bzr|\.jj|_darcs)(?:\/|$)/i;

/**
 * Preserves the order of `files`, whose paths are relative to the package with forward slashes. Others have their turn
 * in between. Throws QuarantineError for patterns that take too much work.
 */
export async function selectFiles<F extends { readonly path: string }>(
  files: readonly F[],
  rules: ArchiveRules,
): Promise<FileSelection<F>> {
  const { folder = '', mayLackComposerJson = false } = rules;
  const count = createWorkCount();
  const exportIgnored = compileExportIgnore(rules, count);
  const above = folder === '' ? '' : `${folder}/`;
  const composerExcluded = compileComposerExcludes(rules.excludes, count);
  const selection: FileSelection<F> = { files: [], withheld: [] };
  const turn = createTurns();
  for (const file of files) {
    await turn();
    const { path } = file;
    if (versionControl.test(path)) continue;
    const ignored = exportIgnored(above + path);
    const isKept = path === 'composer.json' && !(mayLackComposerJson && ignored);
    if (!isKept && composerExcluded(path, ignored)) continue;
    if (isCredential(path)) selection.withheld.push(path);
    else selection.files.push(file);
  }
  return selection;
}

/**
 * Finds the paths that `git archive` leaves out: files with the attribute export-ignore, and everything below a folder
 * with it (archive.c). Takes a file's path, not a folder's. Rules above
 * the package's folder apply to the files in it, but cannot leave out the package itself.
 */
function compileExportIgnore(rules: ArchiveRules, count: CountWork): (path: string) => boolean {
  const lookup = compileAttributes(rules.attributes, ['export-ignore'], count);
  if (lookup === undefined) return () => false;
  const top = byteString(rules.folder ?? '');
  const isSet = (path: string, folder: boolean): boolean => lookup(path, folder).get('export-ignore') === true;
  const folderIgnored = rememberPerFolder(
    (folder): boolean => folder !== top && folder !== '' && (folderIgnored(parentPath(folder)) || isSet(folder, true)),
  );
  return (path) => {
    const bytes = byteString(path);
    return folderIgnored(parentPath(bytes)) || isSet(bytes, false);
  };
}
