// The patterns of a token's limits that match no package: most often a typing error. Pure.

import { matchesPattern } from '../../../build/shared/patterns/package-pattern.ts';
import type { TokenLimits } from './token-limits.ts';

/** A pattern with a `*` may be compared with every name; further ones are not looked at. */
const mostCompared = 50;

/** `names`: all packages, in lower case. */
export function unmatchedPatterns(
  { packages, constraints }: Pick<TokenLimits, 'packages' | 'constraints'>,
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
