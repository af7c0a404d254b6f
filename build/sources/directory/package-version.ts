// Determines the version of a folder: the `version` of its composer.json, else the folder's name if the name is a
// version, else dev-main.

import type { JsonObject } from '../../contract/json.ts';
import { splitPackageName, type PackageName } from '../../contract/name.ts';
import { normalizeVersion } from '../../contract/version.ts';
import { checkedLabel, declaredVersion, type CheckedLabel } from '../checked-label.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

/** The version of a folder without any version. */
const defaultVersion = 'dev-main';

export interface FolderVersion extends CheckedLabel {
  /** neither composer.json nor the folder's name has a version */
  readonly isDefault: boolean;
}

/**
 * `folder` is the last segment of the package's path. Throws QuarantineError VERSION_INVALID, VERSION_MISMATCH, or
 * UNSAFE_PATH for a version that cannot be the name of an archive.
 */
export function packageVersion(json: JsonObject, name: PackageName, folder: string): FolderVersion {
  const declared = declaredVersion(json['version'], 'composer.json');
  const fromFolder = folderVersion(folder, name);
  if (declared === undefined)
    return {
      ...checkedLabel(fromFolder ?? defaultVersion, 'The folder is called'),
      isDefault: fromFolder === undefined,
    };
  const parsed = checkedLabel(declared, '"version" in composer.json is');
  if (fromFolder !== undefined && normalizeVersion(fromFolder) !== parsed.normalized) {
    throw new QuarantineError(
      'VERSION_MISMATCH',
      `composer.json has version ${declared}, but the folder name is ${folder}. Use the same version in both, ` +
        'or remove "version" from composer.json.',
    );
  }
  return { ...parsed, isDefault: false };
}

/**
 * The folder's name, if Composer accepts it as a version. A folder dev-tools of acme/dev-tools has the name of its
 * package, which is no version. The bare branch names of Composer 1 are written as branches.
 */
function folderVersion(folder: string, name: PackageName): string | undefined {
  if (folder.toLowerCase() === splitPackageName(name).project || normalizeVersion(folder) === undefined)
    return undefined;
  return ['master', 'trunk', 'default'].includes(folder) ? `dev-${folder}` : folder;
}
