// Version constraints as Composer parses and matches them (composer/semver 3.4, VersionParser.php, parseConstraints;
// Constraint.php). `self.version` is no constraint: the reader of a link replaces it with the package's own version.

import type { Comparison, Constraint, ComparisonOperator } from './constraint-model.ts';
import { parseSingleConstraint } from './constraint-part.ts';
import { phpVersionCompare } from './php-version-compare.ts';
import type { NormalizedVersion } from './version.ts';
import { phpTrim, stripWhiteEnd, stripWhiteStart } from './php-text.ts';

// Splits a constraint as Composer does. Composer's patterns for it backtrack over runs of blanks, so that these are
// small scanners that do the same in linear time (composer/semver, VersionParser.php, parseConstraints).

/** Splits at `|` and `||`. */
function splitAlternatives(text: string): readonly string[] {
  const pieces = phpTrim(text).split(/\|\|?/);
  return pieces.map((piece, index) => {
    const start = index === 0 ? piece : stripWhiteStart(piece);
    return index === pieces.length - 1 ? start : stripWhiteEnd(start);
  });
}

/**
 * Splits at commas and blanks, but not around ` - ` and ` as `, and not between an operator and its version:
 * `{(?<!^|as|[=>< ,]) *(?<!-)[, ](?!-) *(?!,|as|$)}`.
 */
function splitConjunction(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { index, 0: run } of text.matchAll(/[ ,]+/g)) {
    const end = separatorEnd(text, index, run.length);
    if (end === undefined) continue;
    pieces.push(text.slice(start, index));
    start = end;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** The end of the separator that starts with this run of blanks and commas; undefined if the run is no separator. */
function separatorEnd(text: string, runStart: number, runLength: number): number | undefined {
  const before = text.slice(Math.max(0, runStart - 2), runStart);
  if (before === '' || before === 'as' || /[=><]$/.test(before)) return undefined;
  const run = text.slice(runStart, runStart + runLength);
  const blanks = run.length - run.replace(/^ +/, '').length;
  // The cut is the comma behind the blanks or one of the last three blanks: an earlier blank gives the same result as
  // the third one.
  for (let cut = blanks === run.length ? blanks - 1 : blanks; cut >= Math.max(0, blanks - 3); cut -= 1) {
    const end = cutEnd(text, runStart + cut);
    if (end !== undefined) return end;
  }
  return undefined;
}

function cutEnd(text: string, cut: number): number | undefined {
  if (text.charAt(cut - 1) === '-' || text.charAt(cut + 1) === '-') return undefined;
  let end = cut + 1;
  while (text.charAt(end) === ' ') end += 1;
  if (!/^(?:,|as|\n?$)/.test(text.slice(end, end + 2))) return end;
  return end > cut + 1 ? end - 1 : undefined;
}

/** The constraint, or why Composer refuses it, in a few words to follow "the constraint …". */
export function parseConstraint(text: string): { readonly constraint: Constraint } | { readonly refusal: string } {
  const alternatives: Constraint[] = [];
  for (const alternative of splitAlternatives(text)) {
    const parts: Constraint[] = [];
    for (const part of splitConjunction(alternative)) {
      const parsed = parseSingleConstraint(part);
      if ('refusal' in parsed) return parsed;
      parts.push(...parsed.constraints);
    }
    alternatives.push(grouped('all', parts));
  }
  return { constraint: grouped('some', joinAdjacent(alternatives)) };
}

/** True if a package of this version satisfies the constraint. A branch (`dev-main`) equals only itself. */
export function matches(constraint: Constraint, version: NormalizedVersion): boolean {
  switch (constraint.kind) {
    case 'anything':
      return true;
    case 'all':
      return constraint.parts.every((part) => matches(part, version));
    case 'some':
      return constraint.parts.some((part) => matches(part, version));
    case 'comparison':
      return compares(version, constraint.operator, constraint.version);
  }
}

/** In Composer's notation: `[>= 1.0.0.0-dev < 2.0.0.0-dev]`. */
export function formatConstraint(constraint: Constraint): string {
  if (constraint.kind === 'anything') return '*';
  if (constraint.kind === 'comparison') return `${constraint.operator} ${constraint.version}`;
  return `[${constraint.parts.map(formatConstraint).join(constraint.kind === 'all' ? ' ' : ' || ')}]`;
}

function grouped(kind: 'all' | 'some', parts: readonly Constraint[]): Constraint {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind, parts };
}

function compares(version: string, operator: ComparisonOperator, bound: string): boolean {
  if (version.startsWith('dev-') || bound.startsWith('dev-')) {
    if (operator === '!=') return version !== bound;
    return operator === '==' && version === bound;
  }
  const order = phpVersionCompare(version, bound);
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** `^1 || ^2` → `>=1.0.0.0-dev <3.0.0.0-dev` (MultiConstraint.php, optimizeConstraints). */
function joinAdjacent(alternatives: readonly Constraint[]): readonly Constraint[] {
  const joined: Constraint[] = [];
  for (const next of alternatives) {
    const previous = joined.at(-1);
    const [left, right] = [previous === undefined ? undefined : asRange(previous), asRange(next)];
    if (left?.upper.operator === '<' && right !== undefined && left.upper.version === right.lower.version) {
      joined[joined.length - 1] = { kind: 'all', parts: [left.lower, right.upper] };
    } else {
      joined.push(next);
    }
  }
  return joined;
}

function asRange(constraint: Constraint): { readonly lower: Comparison; readonly upper: Comparison } | undefined {
  if (constraint.kind !== 'all' || constraint.parts.length !== 2) return undefined;
  const [lower, upper] = constraint.parts;
  if (lower?.kind !== 'comparison' || upper?.kind !== 'comparison') return undefined;
  return lower.operator === '>=' && upper.operator.startsWith('<') ? { lower, upper } : undefined;
}
