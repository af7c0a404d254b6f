// Tests rules that hold for any text and any version. The long inputs repeat every character on which the patterns
// could backtrack. A pattern with quadratic time on 100 KB would exceed the test's time limit by far.

import { fc } from '../util/seeded-check.ts';
import { describe, expect, it } from 'vitest';
import { branchVersion } from '../../build/contract/branch.ts';
import { formatConstraint, matches, parseConstraint } from '../../build/contract/constraint.ts';
import { normalizeBranch, parseNumericAliasPrefix } from '../../build/contract/normalize-branch.ts';
import { compareNormalized } from '../../build/contract/ordering.ts';
import { phpVersionCompare } from '../../build/contract/php-version-compare.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { tagVersion } from '../../build/contract/tag.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';

const number = fc.oneof(
  fc.nat({ max: 30 }).map(String),
  fc.constantFrom('00', '01', '9999999', '99999', '20240131', '9223372036854775808'),
);
const suffix = fc.constantFrom(
  '',
  '',
  '-alpha',
  '-alpha1',
  '-beta2',
  '-RC1',
  '-rc.2',
  '-p1',
  '-patch10',
  '-dev',
  '-RC1-dev',
  '-STABLE',
  '.x-dev',
);
const numbered = fc
  .tuple(fc.array(number, { minLength: 1, maxLength: 4 }), suffix)
  .map(([numbers, end]) => normalizeVersion(numbers.join('.') + end));
const branch = fc.constantFrom('dev-main', 'dev-a', 'dev-feature/x', '9999999-dev');
const version = fc
  .oneof({ weight: 5, arbitrary: numbered }, { weight: 1, arbitrary: branch })
  .filter((found) => found !== undefined) as fc.Arbitrary<NormalizedVersion>;

describe('compareNormalized', () => {
  it('is a total order', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(compareNormalized(a, b)).toBe(0 - compareNormalized(b, a));
        expect(compareNormalized(a, b) === 0).toBe(a === b);
        if (compareNormalized(a, b) < 0 && compareNormalized(b, c) < 0) expect(compareNormalized(a, c)).toBe(-1);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('normalizeVersion', () => {
  it('keeps its own result, except for the modifier STABLE, which only the original understands', () => {
    fc.assert(
      fc.property(
        version.filter((found) => !found.endsWith('-stable')),
        (found) => {
          expect(normalizeVersion(found)).toBe(found);
        },
      ),
    );
  });

  it('normalizeVersion and all functions based on it accept any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        normalizeVersion(text);
        parseStability(text);
        tagVersion(text, text);
        branchVersion(text);
        parseConstraint(text);
      }),
    );
  });
});

describe('matches', () => {
  const operators = fc.constantFrom(
    '<' as const,
    '<=' as const,
    '>' as const,
    '>=' as const,
    '==' as const,
    '!=' as const,
  );

  it('agrees with the order of versions', () => {
    const plain = numbered.filter(
      (found) => found !== undefined && found.endsWith('-dev'),
    ) as fc.Arbitrary<NormalizedVersion>;
    fc.assert(
      fc.property(operators, plain, plain, (operator, bound, candidate) => {
        const parsed = parseConstraint(`${operator}${bound}`);
        if (!('constraint' in parsed)) throw new Error(parsed.refusal);
        expect(formatConstraint(parsed.constraint)).toBe(`${operator} ${bound}`);
        const order = phpVersionCompare(candidate, bound);
        const expected = {
          '<': order < 0,
          '<=': order <= 0,
          '>': order > 0,
          '>=': order >= 0,
          '==': order === 0,
          '!=': order !== 0,
        };
        expect(matches(parsed.constraint, candidate)).toBe(expected[operator]);
      }),
    );
  });
});

describe('100 KB of any character', () => {
  const pieces = [
    '1',
    '1.',
    '.1',
    '-1',
    '1-',
    'a',
    'a1',
    '-a1',
    '.a.1',
    ' ',
    '  ,',
    ' ,',
    ', ',
    ',',
    '| ',
    ' |',
    '#',
    '#a',
    '@',
    '@dev',
    '+',
    '+1',
    '\n',
    '\n#',
    'dev',
    '-dev',
    '.x',
    'x-',
    '.x-dev#',
    ' as ',
    ' - ',
    '1 - ',
    '>',
    '^',
    '~',
    '9',
    'v',
  ];
  const heads = ['', '1.0-a', '1.0', '^1', '~1.2', 'dev-', '>=', '1.0 - '];
  const tails = ['', '!', '\n!', ' !', ',', ' as', '\n'];

  // `npm test` plays a third of the combinations: each piece after each head, and before each tail
  const step = process.env['SERIES_RUNS'] === undefined ? 7 : 1;

  it.each(heads)('after %j are handled in time', (head) => {
    for (const [at, piece] of pieces.entries()) {
      for (const tail of tails.filter((_, end) => (at + end + heads.indexOf(head)) % step === 0)) {
        const text = head + piece.repeat(100_000 / piece.length) + tail;
        normalizeVersion(text);
        parseStability(text);
        normalizeBranch(text);
        parseNumericAliasPrefix(text);
        tagVersion(text, text);
        parseConstraint(text);
      }
    }
  });
});
