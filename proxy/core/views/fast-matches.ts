// A faster `matches` for the form of nearly all versions and bounds: four numbers, and `-dev` behind those of a bound.
// The list of a view's packages calls it a hundred thousand times in a row. Other forms go to the contract's own
// function.

import { matches } from '../../../build/contract/constraint.ts';
import type { Comparison, Constraint } from '../../../build/contract/constraint-model.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';

type Numbers = readonly [number, number, number, number];

/** Returns the same as `matches(constraint, version)` for every normalized version. */
export function compileConstraint(constraint: Constraint): (version: NormalizedVersion) => boolean {
  const compiled = compile(constraint);
  return (version) => {
    const numbers = plainNumbers(version);
    return numbers === undefined ? matches(constraint, version) : compiled(numbers, version);
  };
}

type Test = (numbers: Numbers, version: NormalizedVersion) => boolean;

function compile(constraint: Constraint): Test {
  switch (constraint.kind) {
    case 'anything':
      return () => true;
    case 'all': {
      const parts = constraint.parts.map(compile);
      return (numbers, version) => parts.every((part) => part(numbers, version));
    }
    case 'some': {
      const parts = constraint.parts.map(compile);
      return (numbers, version) => parts.some((part) => part(numbers, version));
    }
    case 'comparison':
      return compileComparison(constraint);
  }
}

function compileComparison(comparison: Comparison): Test {
  const { operator, version: bound } = comparison;
  const beforeRelease = bound.endsWith('-dev');
  const numbers = plainNumbers(beforeRelease ? bound.slice(0, -4) : bound);
  if (numbers === undefined) return (_, version) => matches(comparison, version);
  // 1.2.0.0 comes after 1.2.0.0-dev
  const tie = beforeRelease ? 1 : 0;
  switch (operator) {
    case '==':
      return (given) => compare(given, numbers, tie) === 0;
    case '!=':
      return (given) => compare(given, numbers, tie) !== 0;
    case '<':
      return (given) => compare(given, numbers, tie) < 0;
    case '<=':
      return (given) => compare(given, numbers, tie) <= 0;
    case '>':
      return (given) => compare(given, numbers, tie) > 0;
    case '>=':
      return (given) => compare(given, numbers, tie) >= 0;
  }
}

function compare(one: Numbers, other: Numbers, tie: number): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2] || one[3] - other[3] || tie;
}

/** Parses only the form `1.2.3.0`: no leading zeros, which PHP compares differently, and at most nine digits each. */
function plainNumbers(text: string): Numbers | undefined {
  const numbers = [0, 0, 0, 0] as [number, number, number, number];
  let part = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2e && digits > 0 && part < 3) {
      part += 1;
      digits = 0;
    } else if (code >= 0x30 && code <= 0x39 && digits < 9 && (digits === 0 || numbers[part] !== 0)) {
      numbers[part] = (numbers[part] ?? 0) * 10 + code - 0x30;
      digits += 1;
    } else {
      return undefined;
    }
  }
  return part === 3 && digits > 0 ? numbers : undefined;
}
