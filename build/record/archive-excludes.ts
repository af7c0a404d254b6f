// Reads the archive settings of a composer.json.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { isSet } from './php-array.ts';

/** Every pattern is matched with every path of the package, so both limits bound the time of a build. */
const maxPatternLength = 512;
const maxPatternsLength = 8192;

/**
 * The patterns of `archive.exclude`, in order. Throws QuarantineError INVALID_COMPOSER_JSON if it is not a list of
 * strings, or longer than any real one.
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
  const patterns = exclude.filter((pattern): pattern is string => typeof pattern === 'string');
  if (patterns.length < exclude.length) throw wrongExclude();
  if (patterns.some(({ length }) => length > maxPatternLength) || patterns.join('').length > maxPatternsLength)
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `The field "archive.exclude" is too long: it may have ${maxPatternsLength} characters, and each pattern ` +
        `${maxPatternLength}. Name folders in place of single files.`,
    );
  return patterns;
}

function wrongExclude(): QuarantineError {
  return new QuarantineError(
    'INVALID_COMPOSER_JSON',
    'The field "archive.exclude" must be a list of patterns, such as ["/tests", "*.dist"].',
  );
}
