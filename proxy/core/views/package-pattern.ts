// Package patterns of tokens: `acme/core`, `acme/*`, `*/core-*`, `*`. The module has the parser, and a matcher for many
// patterns at once.

import type { Branded } from '../../../build/contract/brand.ts';
import { maxNamePartLength } from '../../../build/contract/name.ts';
import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';

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
 * Up to this number, patterns are compared one by one: a view of few patterns then needs no maps, and there may be 10
 * 000 views.
 */
const few = 4;

/** Values by pattern, found by a name: exact names and whole vendors cost one look-up each, however many there are. */
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

  /** The values of all patterns that match `name`, which is in lower case. */
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

/** A pattern with a `*` may be compared with every name; further ones are not looked at. */
const mostCompared = 50;

/**
 * The patterns of a token's limits that match no package: most often a typing error. `names`: all packages, in lower
 * case.
 */
export function unmatchedPatterns(
  { packages, constraints }: { readonly packages: readonly string[] | null; readonly constraints: object | null },
  names: Pick<ReadonlySet<string>, 'has' | 'keys'>,
): readonly string[] {
  const patterns = [...new Set([...(packages ?? []), ...Object.keys(constraints ?? {})])];
  const wildcards = patterns.filter((pattern) => pattern.includes('*')).slice(0, mostCompared);
  const all = [...names.keys()];
  return [
    ...patterns.filter((pattern) => !pattern.includes('*') && !names.has(pattern)),
    ...wildcards.filter((pattern) => !all.some((name) => matchesPattern(pattern, name))),
  ];
}
