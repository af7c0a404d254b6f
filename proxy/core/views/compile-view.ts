// Compiles the limits of a token into a view, so that each check of a request is cheap.

import { createHash } from 'node:crypto';
import { parseConstraint } from '../../../build/contract/constraint.ts';
import { parseStability, type Stability } from '../../../build/contract/stability.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { compileConstraint } from './fast-matches.ts';
import { PatternMap, type PackagePattern } from './package-pattern.ts';
import { stabilities, type TokenLimits } from './token-limits.ts';
import type { ReleaseFacts, ReleaseFilter, View } from './view.ts';

/** The limits of a token's view; the limit of networks restricts only client addresses. */
export type ViewLimits = Omit<TokenLimits, 'networks'>;

/** undefined: it sees all. Throws an Error for limits that were never checked. */
export function compileView(limits: ViewLimits): View | undefined {
  const { packages, constraints, stability, not_after: notAfter } = limits;
  if (packages === null && constraints === null && stability === null && notAfter === null) return undefined;
  const names =
    packages === null
      ? undefined
      : new PatternMap(packages.map((pattern) => [pattern as PackagePattern, true] as const));
  const ranges = new PatternMap(
    Object.entries(constraints ?? {}).map(([pattern, text]) => [pattern as PackagePattern, rangeOf(text)] as const),
  );
  const ofAll = [...(stability === null ? [] : [atLeast(stability)]), ...(notAfter === null ? [] : [until(notAfter)])];
  const everyName = allOf(ofAll);
  return {
    key: createHash('sha256')
      .update(JSON.stringify([packages, constraints, stability, notAfter]))
      .digest('base64url')
      .slice(0, 22),
    dated: notAfter !== null,
    patterns: packages ?? undefined,
    filterOf: (name) => {
      if (names !== undefined && names.matching(name).length === 0) return 'none';
      const own = ranges.matching(name);
      return own.length === 0 ? everyName : allOf([...own.map(within), ...ofAll]);
    },
  };
}

type Predicate = (release: ReleaseFacts) => boolean;

function allOf(predicates: readonly Predicate[]): ReleaseFilter {
  const [first, second] = predicates;
  if (first === undefined) return 'all';
  return second === undefined ? first : (release) => predicates.every((predicate) => predicate(release));
}

type Range = (version: NormalizedVersion) => boolean;

function within(range: Range): Predicate {
  return ({ version_normalized: version }) => range(version as NormalizedVersion);
}

function atLeast(stability: Stability): Predicate {
  const least = stabilities.indexOf(stability);
  return ({ version_normalized: version }) => stabilities.indexOf(parseStability(version)) <= least;
}

function until(notAfter: string): Predicate {
  const limitMs = Date.parse(notAfter);
  if (Number.isNaN(limitMs)) throw new Error('not_after is no time');
  return ({ releasedMs }) => releasedMs !== undefined && releasedMs <= limitMs;
}

function rangeOf(text: string): Range {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) throw new Error(`a constraint cannot be used: ${parsed.refusal}`);
  return compileConstraint(parsed.constraint);
}
