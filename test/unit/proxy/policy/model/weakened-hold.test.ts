// Tests which changes of the policy may hold fewer releases.

import { expect, it } from 'vitest';
import { parsePolicy } from '../../../../../proxy/policy/model/parse-policy.ts';
import type { PolicyDocument } from '../../../../../proxy/policy/model/policy-document.ts';
import { weakenedHold } from '../../../../../proxy/policy/model/weakened-hold.ts';

type Fields = Readonly<Record<string, unknown>>;

const parsed = (...rules: readonly Fields[]): PolicyDocument => {
  const found = parsePolicy({ rules } as never);
  if ('issues' in found) throw new Error(JSON.stringify(found.issues));
  return found.policy;
};
const rule = { name: 'new', rule: 'capability', action: 'block' };
const age = { name: 'young', rule: 'age', action: 'block', days: 3 };
const some = { ...rule, packages: ['acme/*'], except: ['acme/x'], kinds: ['bin'], days: 7, since: '2026-06-01' };

it.each<[string, Fields, Fields]>([
  ['action', rule, { ...rule, action: 'warn' }],
  ['name', rule, { ...rule, name: 'other' }],
  ['packages', rule, { ...rule, packages: ['acme/*'] }],
  ['packages', some, { ...some, packages: ['other/*'] }],
  ['except', rule, { ...rule, except: ['acme/x'] }],
  ['origin', rule, { ...rule, origin: 'private' }],
  ['stability', rule, { ...rule, stability: 'dev' }],
  ['kinds', rule, { ...rule, kinds: ['bin'] }],
  ['days', rule, { ...rule, days: 365 }],
  ['days', some, { ...some, days: 6 }],
  ['since', rule, { ...rule, since: '2026-06-01' }],
  ['since', some, { ...some, since: '2026-06-02' }],
  ['archives', rule, { ...rule, archives: 'serve' }],
])('a rule with a narrower or other `%s` holds fewer: %j, %j', (_field, before, after) => {
  expect(weakenedHold(parsed(age, before), parsed(age, after))).toBe('new');
  expect(weakenedHold(parsed(before), parsed(before, age))).toBeUndefined();
});

it('a wider rule, another rule, and no rule that holds, are no weaker', () => {
  const wider = { ...some, packages: ['acme/*', 'b/*'], kinds: ['bin', 'plugin'], days: 8 };
  for (const after of [wider, rule, { ...some, since: '2026-05-01', message: 'ask us', archives: 'refuse' }])
    expect(weakenedHold(parsed(some), parsed(after))).toBeUndefined();
  expect(weakenedHold(parsed(age, { ...rule, action: 'warn' }), parsed())).toBeUndefined();
});

it('a new exception of a rule that holds weakens it; one of another rule, or a known one, does not', () => {
  const exception = { rule: 'new', packages: ['acme/x'], reason: 'checked', owner: 'ada', until: '2099-01-01' };
  const withException = (given: Fields): PolicyDocument => {
    const found = parsePolicy({ rules: [rule, age], exceptions: [given] } as never);
    if ('issues' in found) throw new Error(JSON.stringify(found.issues));
    return found.policy;
  };
  expect(weakenedHold(parsed(rule, age), withException(exception))).toBe('new');
  expect(weakenedHold(withException(exception), withException(exception))).toBeUndefined();
  expect(weakenedHold(parsed(rule, age), withException({ ...exception, rule: 'young' }))).toBeUndefined();
});
