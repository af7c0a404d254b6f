// Tests what a decision of a person is about: an archive, with the record that the registry had of it.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { gainsOf, holdOf } from '../../../../../proxy/policy/judge/held-releases.ts';
import type { ReviewDecision } from '../../../../../proxy/policy/records/review-decisions.ts';

const day = (date: number): number => Date.UTC(2026, 10, date);
const record = (version: string, files: readonly string[]): JsonObject => ({
  name: 'up/lib',
  version,
  version_normalized: `${version}.0`,
  autoload: { files: [...files] },
  dist: { reference: version.repeat(8) },
});
const decided = (decision: ReviewDecision['decision'], date: number): ReviewDecision => ({
  package: 'up/lib',
  version: '1.0.1.0',
  reference: '1.0.1'.repeat(8),
  decision,
  by: 'user:usr_ada',
  reason: 'looked at it',
  at: new Date(day(date)).toISOString(),
});

/** A mirrored release whose tag moved away and came back: it arrived anew on the 20th, with the same reference. */
function holdOn(date: number, ...decisions: readonly ReviewDecision[]) {
  const records = [record('1.0.1', ['a.php']), record('1.0.0', [])];
  const gains = gainsOf(records, ({ version }) => (version === '1.0.1' ? day(20) : day(1)), day(1));
  return holdOf({ days: 7 }, gains, decisions, '1.0.1.0', day(date));
}

it('a rejected archive stays rejected when its tag moves away and comes back', () => {
  expect(holdOn(28, decided('rejected', 10))).toMatchObject({ isRejected: true, untilMs: undefined });
  expect(holdOn(28, decided('rejected', 10), decided('approved', 21))).toBeUndefined();
});

it('an approval is not about the record that comes after it', () => {
  expect(holdOn(22, decided('approved', 10))).toMatchObject({ isRejected: false, untilMs: day(27) });
  expect(holdOn(22, decided('approved', 21))).toBeUndefined();
});
