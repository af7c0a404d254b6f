// Tests that constraints are parsed and matched as in Composer, against the vectors.

import { describe, expect, it } from 'vitest';
import { formatConstraint, matches, parseConstraint } from '../../../../build/contract/constraint.ts';
import { normalizeVersion, type NormalizedVersion } from '../../../../build/contract/version.ts';
import vectors from '../../../vectors/order-and-constraints.json' with { type: 'json' };

const versions = vectors.constraint_test_versions as NormalizedVersion[];

describe('parseConstraint', () => {
  it.each(vectors.constraints)(
    'the constraint $constraint is parsed as in Composer',
    ({ constraint: text, parsed, matches: expected }) => {
      const result = parseConstraint(text);
      if (parsed === undefined) {
        expect(result).toHaveProperty('refusal');
        return;
      }
      if (!('constraint' in result)) throw new Error(`refused: ${result.refusal}`);
      expect(formatConstraint(result.constraint)).toBe(parsed);
      expect(versions.filter((version) => matches(result.constraint, version))).toEqual(expected);
    },
  );

  // Composer's own results for the ways to split a constraint.
  it.each([
    ['1.0 -  2.0', undefined],
    ['dev-main  as 1.0', undefined],
    ['', undefined],
    ['^1 || ', undefined],
    ['~>1.0', undefined],
    ['>=1.0,\n<2.0', undefined],
    ['>=1.0 , <2.0', '[>= 1.0.0.0-dev < 2.0.0.0-dev]'],
    ['>= 1.0 < 2.0', '[>= 1.0.0.0-dev < 2.0.0.0-dev]'],
    ['^1 ||\n^2 || ^3', '[>= 1.0.0.0-dev < 4.0.0.0-dev]'],
    ['feature-x-dev', '== dev-feature-x'],
    ['>=1.0-RC1', '>= 1.0.0.0-RC1-dev'],
    ['0.*', '< 1.0.0.0-dev'],
    ['v*', '>= 0.0.0.0-dev'],
    ['~1.x-dev', '[>= 1.9999999.9999999.9999999-dev < 2.0.0.0-dev]'],
  ])('the constraint %j is split, or refused, as in Composer', (text, expected) => {
    const result = parseConstraint(text);
    expect('constraint' in result ? formatConstraint(result.constraint) : undefined).toBe(expected);
  });

  it('the error of a malformed constraint quotes the part that is not understood', () => {
    expect(parseConstraint('^1.0 || banana')).toEqual({ refusal: expect.stringContaining('"banana"') });
  });
});

describe('matches', () => {
  it('a range never matches a branch', () => {
    const result = parseConstraint('>=0');
    if (!('constraint' in result)) throw new Error(result.refusal);
    expect(matches(result.constraint, normalizeVersion('dev-main') as NormalizedVersion)).toBe(false);
  });
});
