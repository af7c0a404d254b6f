// Determines the version of an artifact: its composer.json's `version`, or else the part of the file's name behind the
// package's name.
//
// | acme/hello                                                        | is           |
// |-------------------------------------------------------------------|--------------|
// | `acme-hello-1.2.0.zip` `hello-1.2.0.zip` `Acme_Hello_v1.2.0.zip`   | 1.2.0, v1.2.0|
// | `1.2.0.zip` `dev-main.zip`                                        | itself       |
// | `hello-dev-main.zip` `hello-main.zip`                             | dev-main, not a version |
// | `hello.zip` `other-hello-1.2.0.zip` `hello-1.2.0-final.zip`       | no version   |
// | `hello-dev-feature%2Fx.zip`                                       | dev-feature/x|
//
// One of `-` `_` `.` `@` separates the name from the version. For a package acme/dev the name dev-1.0.zip is refused:
// it could mean version 1.0 or a branch.

import type { JsonObject } from '../../contract/json.ts';
import { splitPackageName, type PackageName } from '../../contract/name.ts';
import { normalizeVersion } from '../../contract/version.ts';
import { checkedLabel, declaredVersion, type CheckedLabel } from '../checked-label.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

/** `file` is the file's name with its extension. Throws QuarantineError VERSION_INVALID, VERSION_MISMATCH or UNSAFE_PATH. */
export function artifactVersion(json: JsonObject, name: PackageName, file: string): CheckedLabel {
  const declared = declaredVersion(json['version'], 'composer.json');
  const stem = file.replace(/\.(?:zip|tar|tgz|(?:tar\.)?gz)$/i, '');
  if (declared === undefined)
    return checkedLabel(onlyReading(stem, name, file), `The file's name ${JSON.stringify(file)} says version`);
  const checked = checkedLabel(declared, '"version" in composer.json is');
  const fromName = readings(stem, name).filter((reading) => /[0-9]\.[0-9]/.test(reading));
  if (fromName.length > 0 && !fromName.some((reading) => normalizeVersion(reading) === checked.normalized)) {
    throw new QuarantineError(
      'VERSION_MISMATCH',
      `composer.json has version ${declared}, but the file name is ${file}. Use the same version in both, or ` +
        'remove it from one of them.',
    );
  }
  return checked;
}

function onlyReading(stem: string, name: PackageName, file: string): string {
  const found = readings(stem, name);
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only;
  const { vendor, project } = splitPackageName(name);
  const clear = `Rename it to ${vendor}-${project}-1.2.0${file.slice(stem.length)} (with its version), or write "version" into its composer.json.`;
  if (only === undefined)
    throw new QuarantineError(
      'VERSION_INVALID',
      `The version of ${name} in ${JSON.stringify(file)} is unknown. ${clear}`,
    );
  throw new QuarantineError(
    'VERSION_INVALID',
    `${JSON.stringify(file)} may be version ${found.join(' or ')} of ${name}. ${clear}`,
  );
}

/** The possible versions of the file name, at most two. */
function readings(stem: string, name: PackageName): readonly string[] {
  const { vendor, project } = splitPackageName(name);
  const lower = stem.toLowerCase();
  const named = [
    `${vendor}-${project}`,
    `${vendor}_${project}`,
    `${vendor}.${project}`,
    `${vendor}--${project}`,
    project,
  ]
    .filter((prefix) => lower.startsWith(prefix) && /^[-_.@]/.test(lower.slice(prefix.length)))
    .flatMap((prefix) => versionIn(stem.slice(prefix.length + 1)));
  // dev-tools-1.0.zip is version 1.0 of acme/dev-tools, though Composer could read a branch called tools-1.0
  const bare = lower === project || (named.length > 0 && project !== 'dev') ? [] : versionIn(stem);
  return [...new Map([...named, ...bare].map((reading) => [normalizeVersion(reading), reading])).values()];
}

/** The bare names that stood for branches in Composer 1 are written as the branches they are. */
function versionIn(written: string): readonly string[] {
  const text = written.replaceAll(/%2f/gi, '/');
  if (normalizeVersion(text) === undefined) return [];
  return [['master', 'trunk', 'default'].includes(text) ? `dev-${text}` : text];
}
