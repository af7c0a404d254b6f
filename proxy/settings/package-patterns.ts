// Settings that are lists of patterns for package names, or of vendors. A pattern that cannot match any name is
// refused, because a person who reserves "acme" expects acme/anything to be reserved. In an older stored list such a
// pattern is skipped, so that the rest of the list stays in effect.

import type { JsonValue } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';

export const mostPatterns = 1000;
const patternGrammar = /^[a-z0-9*](?:[a-z0-9_.*/-]{0,198}[a-z0-9*])?$/;

export const patternsAllowed =
  `a list of at most ${mostPatterns} package names or patterns such as ["acme/*"], in which * matches any ` +
  'characters';
export const vendorsAllowed = `a list of at most ${mostPatterns} vendors such as ["acme"], without / and *`;

export function arePatterns(value: JsonValue): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= mostPatterns &&
    value.every((one) => typeof one === 'string' && patternGrammar.test(one))
  );
}

/** The first pattern that no package name matches, with a suggestion; undefined if all are valid. */
export function unmatchedPattern(patterns: readonly string[]): string | undefined {
  const unmatched = patterns.find((pattern) => !canMatch(pattern));
  if (unmatched === undefined) return undefined;
  return (
    'no package has a name like ' +
    `${JSON.stringify(unmatched)}${isVendor(unmatched) ? `; the packages of a vendor are ${JSON.stringify(`${unmatched}/*`)}` : ''}`
  );
}

/** The first text that is no vendor's name, with a suggestion; undefined if all are valid. */
export function unmatchedVendor(vendors: readonly string[]): string | undefined {
  const unmatched = vendors.find((vendor) => !isVendor(vendor));
  if (unmatched === undefined) return undefined;
  const [vendor = ''] = unmatched.split('/');
  return (
    `${JSON.stringify(unmatched)} is no ` +
    `vendor${isVendor(vendor) ? `; the vendor of it is ${JSON.stringify(vendor)}` : ''}`
  );
}

/**
 * Tests a name for the pattern: with a letter for each star and, without a slash, with one in place of the first star.
 */
function canMatch(pattern: string): boolean {
  const withSlash = pattern.includes('/') ? pattern : pattern.replace(/\*+/, 'a/a');
  return parsePackageName(withSlash.replaceAll(/\*+/g, 'a')) !== undefined;
}

function isVendor(text: string): boolean {
  return parsePackageName(`${text}/a`) !== undefined;
}
