// Package patterns of tokens: `acme/core`, `acme/*`, `*/core-*`, `*`. As Composer has wildcards (BasePackage.php,
// packageNameToRegexp): `*` stands for any characters, or none; all else for itself, whatever its case. Never a regular
// expression made of what somebody wrote.

import type { Branded } from '../../build/contract/brand.ts';
import { maxNamePartLength } from '../../build/contract/name.ts';

/** In lower case. */
export type PackagePattern = Branded<string, 'PackagePattern'>;

const part = new RegExp(`^[a-z0-9_.*-]{1,${maxNamePartLength}}$`);

/**
 * The pattern in lower case, or undefined. A vendor is always named, be it by `*`: `acme*` would have let
 * `acme-of-others/x` in.
 */
export function parsePackagePattern(text: string): PackagePattern | undefined {
  const lower = text.toLowerCase();
  if (lower === '*') return lower as PackagePattern;
  const parts = lower.split('/');
  return parts.length === 2 && parts.every((one) => part.test(one)) ? (lower as PackagePattern) : undefined;
}

/**
 * Up to so many patterns are compared one by one: a view of few patterns then needs no maps, and there may be 10 000
 * views.
 */
const few = 4;

/**
 * Things said of patterns, ready to be found by a name: exact names and whole vendors cost one look each, however many
 * there are.
 */
export class PatternMap<Value> {
  readonly #names: ReadonlyMap<string, Value> | undefined;
  readonly #vendors: ReadonlyMap<string, Value> | undefined;
  readonly #others: readonly (readonly [PackagePattern, Value])[];

  constructor(entries: readonly (readonly [PackagePattern, Value])[]) {
    if (entries.length <= few) {
      this.#others = entries;
      return;
    }
    const [names, vendors] = [new Map<string, Value>(), new Map<string, Value>()];
    const others: (readonly [PackagePattern, Value])[] = [];
    for (const [pattern, value] of entries) {
      const [vendor = '', project = ''] = pattern.split('/');
      if (!pattern.includes('*')) names.set(pattern, value);
      else if (project === '*' && !vendor.includes('*')) vendors.set(vendor, value);
      else others.push([pattern, value]);
    }
    [this.#names, this.#vendors, this.#others] = [names, vendors, others];
  }

  /** What is said of every pattern that matches `name`, which is in lower case. */
  matching(name: string): Value[] {
    const found: Value[] = [];
    const exact = this.#names?.get(name);
    if (exact !== undefined) found.push(exact);
    const vendor = this.#vendors?.get(name.slice(0, Math.max(0, name.indexOf('/'))));
    if (vendor !== undefined) found.push(vendor);
    for (const [pattern, value] of this.#others) if (matchesPattern(pattern, name)) found.push(value);
    return found;
  }
}

/** Both in lower case. Takes time of the product of their lengths at most. */
export function matchesPattern(pattern: string, name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at;
      resume = inName;
      at += 1;
    } else if (pattern[at] === name[inName]) {
      at += 1;
      inName += 1;
    } else if (star >= 0) {
      // the last star takes one character more
      resume += 1;
      inName = resume;
      at = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
