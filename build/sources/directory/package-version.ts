// Which version a folder holds: its composer.json's `version`, else the folder's name where that is a version, else dev-main.

import type { JsonObject } from '../../contract/json.ts';
import { labelRefusal } from '../../contract/label.ts';
import { splitPackageName, type PackageName } from '../../contract/name.ts';
import { parseDistLabel, type DistLabel } from '../../contract/paths.ts';
import { normalizeVersion, type NormalizedVersion } from '../../contract/version.ts';
import { QuarantineError } from '../quarantine.ts';

export interface PackageVersion {
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
}

/** What a folder without any version holds. */
const defaultVersion = 'dev-main';

/**
 * `folder` is the last segment of the package's path. Throws QuarantineError VERSION_INVALID, VERSION_MISMATCH, or UNSAFE_PATH for a version
 * that cannot be the name of an archive.
 */
export function packageVersion(json: JsonObject, name: PackageName, folder: string): PackageVersion {
  const declared = declaredVersion(json);
  const fromFolder = folderVersion(folder, name);
  if (declared === undefined) return parseVersion(fromFolder ?? defaultVersion, 'The folder is called');
  const parsed = parseVersion(declared, '"version" in composer.json is');
  if (fromFolder !== undefined && normalizeVersion(fromFolder) !== parsed.normalized) {
    throw new QuarantineError('VERSION_MISMATCH', `composer.json says version ${declared}, but its folder is called ${folder}. Make them agree, or leave "version" out of composer.json.`);
  }
  return parsed;
}

/** Composer treats null as if it were not there. */
function declaredVersion(json: JsonObject): string | undefined {
  const declared = json['version'] ?? undefined;
  if (declared === undefined || typeof declared === 'string') return declared;
  throw new QuarantineError('VERSION_INVALID', `"version" in composer.json is ${JSON.stringify(declared)}; it must be a string such as "1.2.0".`);
}

/**
 * The folder's name where Composer accepts it as a version. acme/dev-tools in a folder dev-tools is there under its own name, which is no
 * version; and the bare names that stood for branches in Composer 1 are written as the branches they are.
 */
function folderVersion(folder: string, name: PackageName): string | undefined {
  if (folder.toLowerCase() === splitPackageName(name).project || normalizeVersion(folder) === undefined) return undefined;
  return ['master', 'trunk', 'default'].includes(folder) ? `dev-${folder}` : folder;
}

function parseVersion(text: string, origin: string): PackageVersion {
  const normalized = normalizeVersion(text);
  if (normalized === undefined) throw new QuarantineError('VERSION_INVALID', `${origin} ${JSON.stringify(text)}, which Composer does not accept as a version. Write one such as 1.2.0 or dev-main.`);
  if (/[\s#?]/.test(text)) throw new QuarantineError('VERSION_INVALID', `${origin} ${JSON.stringify(text)}: a version with white space, "#" or "?" cannot be downloaded. Leave the character out.`);
  const refusal = labelRefusal(text, normalized);
  if (refusal !== undefined) throw new QuarantineError('VERSION_INVALID', `${origin} ${JSON.stringify(text)}, which ${refusal}. Write one such as 1.2.0 or dev-main.`);
  const label = parseDistLabel(text);
  if ('refusal' in label) throw new QuarantineError('UNSAFE_PATH', `${origin} ${JSON.stringify(text)}, which cannot be the name of an archive: ${label.refusal}. Choose another version.`);
  return { version: label.label, normalized };
}
