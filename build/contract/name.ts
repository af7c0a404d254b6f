// Package names by Composer's grammar (composer.json schema, `name`), always in lower case: Composer requests metadata
// in lower case, for any case in a composer.json.

import type { Branded } from './brand.ts';

/** `vendor/package`, lower case, at most 100 + 1 + 100 characters. */
export type PackageName = Branded<string, 'PackageName'>;

export const maxNamePartLength = 100;

// Composer writes `([_.-]?[a-z0-9]++)*`; without possessive quantifiers that is exponential, so each separator is
// required here: same language, linear time.
const grammar = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|-{1,2})[a-z0-9]+)*$/;

/**
 * The name exactly as given, or undefined if it is not one in lower case. Takes raw bytes of a URL safely: linear time,
 * length first.
 */
export function parsePackageName(text: string): PackageName | undefined {
  if (text.length > 2 * maxNamePartLength + 1) return undefined;
  const slash = text.indexOf('/');
  if (slash < 1 || slash > maxNamePartLength || text.length - slash - 1 > maxNamePartLength) return undefined;
  return grammar.test(text) ? (text as PackageName) : undefined;
}

/** Vendor and package of a name. */
export function splitPackageName(name: PackageName): { readonly vendor: string; readonly project: string } {
  const slash = name.indexOf('/');
  return { vendor: name.slice(0, slash), project: name.slice(slash + 1) };
}
