// Tests that a constraint is called empty exactly if no version satisfies it, by comparison with many versions.

import { describe, expect, it } from 'vitest';

import { matches, parseConstraint } from '../../../../../build/contract/constraint.ts';
import { isEmptyConstraint } from '../../../../../proxy/policy/model/empty-constraint.ts';
import { fc } from '../../../../util/seeded-check.ts';

const numbers = [0, 1, 2, 3];
const versions = [
  'dev-main',
  'dev-other',
  ...numbers.flatMap((major) =>
    numbers.flatMap((minor) =>
      ['-dev', '-alpha1', '-beta1', '-RC1', '', '-patch1'].map((suffix) => `${major}.${minor}.0.0${suffix}`),
    ),
  ),
];

describe('a constraint', () => {
  it.each(['>=3 <2', '>1.0.0 <1.0.0', '^1 ^2', '1.2.3 1.2.4', '>=2 <2 || >3 <1', 'dev-main dev-other', 'dev-main ^1'])(
    '%s is empty',
    (text) => expect(isEmptyConstraint(text)).toBe(true),
  );

  it.each([
    '*',
    '^1',
    '>=1 <2',
    '>1.0.0 <1.0.1',
    '<1',
    '!=1',
    'dev-main',
    '1.0.*',
    '>=3 <2 || 1.0',
    '<0.0.1',
    '~1.2',
    '<=0',
  ])('%s is not empty', (text) => expect(isEmptyConstraint(text)).toBe(false));

  it('with bounds that have neighbours of their own is never called empty', () => {
    expect(isEmptyConstraint('>1.0.0-beta1 <1.0.0-beta1')).toBe(false);
  });

  it('is empty if and only if none of many versions satisfies it', () => {
    const bound = fc.constantFrom('1', '1.1', '2', '2.3.0', '3.0', 'dev-main', '1.2.0-dev');
    const part = fc
      .tuple(fc.constantFrom('', '>', '>=', '<', '<=', '!=', '^', '~'), bound)
      .map(([operator, version]) => (version.startsWith('dev-') ? version : operator + version));
    const constraint = fc
      .array(
        fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' ')),
        { minLength: 1, maxLength: 2 },
      )
      .map((alternatives) => alternatives.join(' || '));
    fc.assert(
      fc.property(constraint, (text) => {
        const parsed = parseConstraint(text);
        if ('refusal' in parsed) return;
        const satisfied = versions.some((version) => matches(parsed.constraint, version as never));
        expect([text, isEmptyConstraint(text)]).toEqual([text, !satisfied]);
      }),
      { numRuns: Number(process.env['CONSTRAINT_RUNS'] ?? 300) },
    );
  });
});
