// Tests that a judge looks at the exceptions of its own package alone, however many versions it judges.

import { expect, it } from 'vitest';
import { compilePolicy } from '../../../../../proxy/policy/judge/compile-policy.ts';
import { factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';
import { judgePackage } from '../../../../../proxy/policy/judge/judge.ts';

it('reads the names of exceptions once for a package, and the exception that ends last counts', () => {
  const about = { rule: 'old', packages: ['acme/core'], owner: 'ann', reason: 'urgent' };
  const exceptions = ['2026-12-30', '2026-12-31', '2026-12-29'].map((until) => ({ ...about, until }));
  const { rules } = compilePolicy({
    rules: [{ name: 'old', rule: 'abandoned', action: 'block' }],
    exceptions: [...exceptions, { ...about, packages: ['acme/other'], until: '2027-12-31' }],
  });
  let names = 0;
  const counting = rules.map((rule) => ({
    ...rule,
    exceptions: rule.exceptions.map((one) => ({ ...one, isOf: (name: string) => ((names += 1), one.isOf(name)) })),
  }));
  const judge = judgePackage(counting, {
    name: 'acme/core',
    origin: 'private',
    advisories: [],
    entries: [],
    gains: () => new Map(),
  });
  for (let patch = 0; patch < 100; patch += 1) {
    const facts = factsOfRecord({ version: `1.0.${patch}`, version_normalized: `1.0.${patch}.0`, abandoned: true });
    expect(judge(facts, Date.parse('2026-01-01')).findings[0]?.exception?.until).toBe('2026-12-31');
  }
  expect(names).toBe(4);
});
