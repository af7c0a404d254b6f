// Checks a version from a file or a file name against the rules of Composer, of an archive's path and of a URL.

import { labelRefusal } from '../contract/label.ts';
import { parseDistLabel, type DistLabel } from '../contract/paths.ts';
import { normalizeVersion, type NormalizedVersion } from '../contract/version.ts';
import { QuarantineError } from '../contract/quarantine.ts';

export interface CheckedLabel {
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
}

/**
 * `origin` begins the sentence: `"version" in composer.json is`. Throws QuarantineError VERSION_INVALID or UNSAFE_PATH.
 */
export function checkedLabel(text: string, origin: string): CheckedLabel {
  const subject = `${origin} ${JSON.stringify(text)}`;
  const normalized = normalizeVersion(text);
  if (normalized === undefined)
    throw new QuarantineError(
      'VERSION_INVALID',
      `${subject}, which Composer does not accept as a version. Write one such as 1.2.0 or dev-main.`,
    );
  if (/[\s#?]/.test(text))
    throw new QuarantineError(
      'VERSION_INVALID',
      `${subject}: a version with white space, "#" or "?" cannot be downloaded. Leave the character out.`,
    );
  const refusal = labelRefusal(text, normalized);
  if (refusal !== undefined)
    throw new QuarantineError('VERSION_INVALID', `${subject}, which ${refusal}. Write one such as 1.2.0 or dev-main.`);
  const label = parseDistLabel(text);
  if ('refusal' in label)
    throw new QuarantineError(
      'UNSAFE_PATH',
      `${subject}, which cannot be the name of an archive: ${label.refusal}. Choose another version.`,
    );
  return { version: label.label, normalized };
}

/**
 * `version` of a composer.json or an inline record; null is as if it were not there, to Composer too. Throws
 * QuarantineError VERSION_INVALID.
 */
export function declaredVersion(declared: unknown, place: string): string | undefined {
  if (declared === undefined || declared === null || typeof declared === 'string') return declared ?? undefined;
  throw new QuarantineError(
    'VERSION_INVALID',
    `"version" in ${place} is ${JSON.stringify(declared)}; it must be a string such as "1.2.0".`,
  );
}
