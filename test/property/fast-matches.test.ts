// Tests that the fast match of versions agrees with the contract's own, for versions and constraints of every form.

import { fc } from '../util/seeded-check.ts';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import { compileConstraint } from '../../proxy/core/views/fast-matches.ts';
import { playsSeries } from '../util/series.ts';

const number = fc.oneof(fc.nat(3), fc.constantFrom(0, 9, 10, 99, 2024, 9_999_999));
const suffix = fc.constantFrom('', '', '', '-dev', '-alpha1', '-beta', '-RC2', '-p1', '.x-dev');
const version = fc.oneof(
  fc.tuple(fc.array(number, { minLength: 1, maxLength: 4 }), suffix).map(([numbers, end]) => numbers.join('.') + end),
  fc.constantFrom('dev-main', '1.x-dev', '01.2.3', '20240131', '2024.01.31', '1.0.00', '0.0.0.0'),
);
const constraint = fc
  .array(fc.tuple(fc.constantFrom('', '^', '~', '>', '>=', '<', '<=', '!=', '=='), version), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((parts) => fc.constantFrom(' ', ' || ').map((joint) => parts.map(([sign, text]) => sign + text).join(joint)));

function expectSame(text: string, normalized: NormalizedVersion): void {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) return;
  expect([text, normalized, compileConstraint(parsed.constraint)(normalized)]).toEqual([
    text,
    normalized,
    matches(parsed.constraint, normalized),
  ]);
}

it('the fast match agrees with the contract for random versions and constraints', () => {
  fc.assert(
    fc.property(constraint, version, (text, label) => {
      const normalized = normalizeVersion(label);
      if (normalized !== undefined) expectSame(text, normalized);
    }),
    { numRuns: playsSeries ? 20_000 : 4000 },
  );
});

it('the fast match agrees with the contract for all vectors', () => {
  const vectors = JSON.parse(
    readFileSync(new URL('../vectors/order-and-constraints.json', import.meta.url), 'utf8'),
  ) as {
    constraints: readonly { constraint: string }[];
    constraint_test_versions: readonly NormalizedVersion[];
    ascending_normalized_excluding_dev_branches: readonly NormalizedVersion[];
  };
  for (const { constraint: text } of vectors.constraints)
    for (const one of [...vectors.constraint_test_versions, ...vectors.ascending_normalized_excluding_dev_branches])
      expectSame(text, one);
});
