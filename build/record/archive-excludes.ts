// Reads the archive settings of a composer.json.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { isSet } from './php-array.ts';

/**
 * The patterns of `archive.exclude`, in order. Throws QuarantineError INVALID_COMPOSER_JSON if it is not a list of
 * strings.
 */
export function archiveExcludesOf(json: JsonObject): string[] {
  const archive = json['archive'];
  if (!isSet(archive)) return [];
  if (Array.isArray(archive) && archive.length === 0) return [];
  if (!isJsonObject(archive))
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      'The field "archive" must be an object, such as {"exclude": ["/tests"]}.',
    );
  const exclude = archive['exclude'];
  if (!isSet(exclude)) return [];
  if (!Array.isArray(exclude)) throw wrongExclude();
  return exclude.map((pattern: unknown) => {
    if (typeof pattern !== 'string') throw wrongExclude();
    return pattern;
  });
}

function wrongExclude(): QuarantineError {
  return new QuarantineError(
    'INVALID_COMPOSER_JSON',
    'The field "archive.exclude" must be a list of patterns, such as ["/tests", "*.dist"].',
  );
}
