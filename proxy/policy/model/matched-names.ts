// Finds out whether patterns match any known package. A policy may have a hundred thousand patterns and a registry ten
// thousand packages, so a pattern is compared with the names of its vendor only, and there is an end. Pure.

import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';

/** This number takes some tens of milliseconds. */
const mostComparisons = 1_000_000;

export class MatchedNames {
  readonly #names: readonly string[];
  readonly #byVendor: ReadonlyMap<string, readonly string[]>;
  #left = mostComparisons;

  /** `names`: in lower case */
  constructor(names: readonly string[]) {
    this.#names = names;
    const byVendor = new Map<string, string[]>();
    for (const name of names) {
      const vendor = vendorOf(name);
      const known = byVendor.get(vendor);
      if (known === undefined) byVendor.set(vendor, [name]);
      else known.push(name);
    }
    this.#byVendor = byVendor;
  }

  /** False: no known name matches. True: one does, or there were too many comparisons to tell. */
  has(pattern: string): boolean {
    const lower = pattern.toLowerCase();
    const vendor = vendorOf(lower);
    const names = vendor.includes('*') ? this.#names : (this.#byVendor.get(vendor) ?? []);
    if (this.#left < names.length) return true;
    this.#left -= names.length;
    return names.some((name) => matchesPattern(lower, name));
  }
}

/** Of a name or a pattern; `*` alone has a vendor with a star, too. */
function vendorOf(name: string): string {
  const slash = name.indexOf('/');
  return slash < 0 ? name : name.slice(0, slash);
}
