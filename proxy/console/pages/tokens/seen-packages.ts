// What a token with these limits sees of the published packages.

import type { Catalogue, PublishedPackages } from '../../../packages/catalogue.ts';
import { compileView } from '../../../core/views/compile-view.ts';
import type { TokenLimits } from '../../../core/views/token-limits.ts';
import { unmatchedPatterns } from '../../../core/views/package-pattern.ts';

export interface SeenPackages {
  /** all published packages */
  readonly total: number;
  /** the number of packages of which it sees a version */
  readonly seen: number;
  /** the first of them, by name */
  readonly first: readonly SeenPackage[];
  /** patterns of the limits that match no published package: it may be a typing error */
  readonly unmatched: readonly string[];
  /** published packages that seen ones require, and that the token does not see: Composer cannot install those */
  readonly missing: readonly MissingRequirement[];
}

export interface MissingRequirement {
  readonly name: string;
  /** the first seen package that requires it */
  readonly requiredBy: string;
}

export interface SeenPackage {
  readonly name: string;
  /** the number of versions it sees, and of all */
  readonly seen: number;
  readonly total: number;
}

const mostShown = 20;

export async function readSeenPackages(
  catalogue: Pick<Catalogue, 'read'>,
  limits: TokenLimits,
  nowMs: number,
): Promise<SeenPackages> {
  const [all, seen] = await Promise.all([catalogue.read(nowMs), catalogue.read(nowMs, compileView(limits))]);
  const first = [...seen.all.values()].slice(0, mostShown).map(({ name, versions }) => ({
    name,
    seen: versions,
    total: all.all.get(name)?.versions ?? versions,
  }));
  return {
    total: all.all.size,
    seen: seen.all.size,
    first,
    unmatched: unmatchedPatterns(limits, all.all),
    missing: missingOf(all, seen),
  };
}

function missingOf(all: PublishedPackages, seen: PublishedPackages): readonly MissingRequirement[] {
  return [...all.all.keys()].flatMap((name) => {
    const [requiredBy] = seen.all.has(name) ? [] : seen.dependentsOf(name);
    return requiredBy === undefined ? [] : [{ name, requiredBy }];
  });
}
