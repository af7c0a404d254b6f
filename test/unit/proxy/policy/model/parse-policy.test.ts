// Tests that each fault of a policy is told with its place, in a plain sentence.

import { expect, it } from 'vitest';
import { parsePolicyText } from '../../../../../proxy/policy/model/parse-policy.ts';

const faults = (given: unknown): readonly string[] => {
  const parsed = parsePolicyText(typeof given === 'string' ? given : JSON.stringify(given));
  return 'issues' in parsed ? parsed.issues.map(({ path, message }) => `${path} ${message}`) : [];
};
const rule = { rule: 'license', name: 'licences', action: 'block', allow: ['MIT'] };

it.each([
  [{}, ['rules is missing: it must be a list']],
  [[], [' must be an object']],
  [{ rules: [{ ...rule, action: 'blok' }] }, ['rules[0].action must be "block" or "warn" or "log"']],
  [{ rules: [{ ...rule, allow: [] }] }, ['rules[0].allow must not be empty']],
  [
    { rules: [{ ...rule, lists: ['x'] }] },
    ['rules[0].lists is not a key of this rule. Correct its spelling, or remove it'],
  ],
  [
    { rules: [{ ...rule, rule: 'licence' }] },
    [
      'rules[0].rule must be one of advisories, filter, age, license, abandoned, plugin, capability, required, source, composer',
    ],
  ],
  [
    { rules: [{ ...rule, packages: ['acme'] }] },
    ['rules[0].packages[0] must be a package pattern such as acme/core, acme/* or *'],
  ],
  [{ rules: [rule, rule] }, ['rules[1].name is the name of rules[0] too. Give each rule its own name']],
  [{ rules: [{ rule: 'age', name: 'age', action: 'block' }] }, ['rules[0] must have either `days` or `seconds`']],
  [
    {
      rules: [rule],
      exceptions: [{ rule: 'other', packages: ['*'], owner: 'ann', reason: 'why', until: '2026-12-31' }],
    },
    ['exceptions[0].rule names no rule. The rules are: licences'],
  ],
  [
    { rules: [rule], exceptions: [{ rule: 'licences', packages: ['*'], owner: 'ann', reason: 'why' }] },
    ['exceptions[0].until is missing: it must be a string'],
  ],
  [
    {
      rules: [rule],
      exceptions: [{ rule: 'licences', packages: ['*'], owner: 'a', reason: 'b', until: '2026-13-40' }],
    },
    ['exceptions[0].until must be a day that exists'],
  ],
  [
    {
      rules: [rule],
      exceptions: [{ rule: 'licences', packages: ['*'], owner: 'a', reason: 'b', until: '2026-02-30' }],
    },
    ['exceptions[0].until must be a day that exists'],
  ],
  [
    {
      rules: [rule],
      exceptions: [{ rule: 'licences', packages: ['*'], owner: 'a', reason: 'b', until: '2026-12-31', who: 'c' }],
    },
    ['exceptions[0].who is not a key of an exception. Correct its spelling, or remove it'],
  ],
  [{ rules: [], rulez: [] }, ['rulez is not a key of the policy. Correct its spelling, or remove it']],
  [{ rules: [{ rule: 'age', name: 'age', action: 'block', days: -1 }] }, ['rules[0].days must be more than 0']],
  [
    { rules: [{ rule: 'source', name: 'source', action: 'block', stability: 'dev' }] },
    ['rules[0].stability is not a key of this rule. Correct its spelling, or remove it'],
  ],
])('%j has the faults %j', (given, expected) => {
  expect(faults(given)).toEqual(expected);
});

it('a text that is not JSON is a fault too', () => {
  expect(faults('{')).toEqual([expect.stringMatching(/^ is not JSON: /) as string]);
});
