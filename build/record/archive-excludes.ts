// Reads the archive settings of a composer.json.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { isSet } from './php-array.ts';

/** Every pattern is matched with every path of the package, so both limits bound the time of a build. */
const maxPatternLength = 512;
const maxListLength = 8192;

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
  const patterns = Array.isArray(exclude)
    ? exclude.filter((pattern): pattern is string => typeof pattern === 'string')
    : [];
  const isShort =
    patterns.every(({ length }) => length <= maxPatternLength) && patterns.join('').length <= maxListLength;
  if (Array.isArray(exclude) && patterns.length === exclude.length && isShort) return patterns;
  throw new QuarantineError(
    'INVALID_COMPOSER_JSON',
    'The field "archive.exclude" must be a list of patterns, such as ["/tests", "*.dist"], with at most ' +
      `${maxPatternLength} characters each and ${maxListLength} together.`,
  );
}
