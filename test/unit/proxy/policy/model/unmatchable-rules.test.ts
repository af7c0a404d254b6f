// Tests remarks on rules that can never match. What is called covered must be covered: names are drawn at random.

import { describe, expect, it } from 'vitest';

import { compilePolicy } from '../../../../../proxy/policy/judge/compile-policy.ts';
import { parsePolicy } from '../../../../../proxy/policy/model/parse-policy.ts';
import type { PolicyDocument } from '../../../../../proxy/policy/model/policy-document.ts';
import { unmatchableRules, type RegistryNames } from '../../../../../proxy/policy/model/unmatchable-rules.ts';
import { fc } from '../../../../util/seeded-check.ts';

const known: RegistryNames = {
  nowMs: Date.parse('2026-11-27T12:00:00Z'),
  privatePackages: ['acme/app', 'acme/tool'],
  mirroredPackages: ['some/lib'],
  tokens: new Map([
    ['tok_1', 'active'],
    ['tok_2', 'revoked'],
  ]),
  lists: new Set(['malware']),
  ofSettings: [],
};
const abandoned = { name: 'old', rule: 'abandoned', action: 'block' };
const exception = { rule: 'old', packages: ['acme/app'], owner: 'ann', reason: 'r', until: '2027-01-01' };

function policyOf(rules: readonly object[], exceptions: readonly object[] = []): PolicyDocument {
  const parsed = parsePolicy({ rules, exceptions } as never);
  if ('issues' in parsed) throw new Error(JSON.stringify(parsed.issues));
  return parsed.policy;
}
const remarks = (
  rules: readonly object[],
  exceptions: readonly object[] = [],
  more: Partial<RegistryNames> = {},
): unknown => unmatchableRules(policyOf(rules, exceptions), { ...known, ...more }).map(({ path }) => path);

describe('a rule', () => {
  it.each([
    [{ ...abandoned }, []],
    [{ ...abandoned, packages: ['acme/*'], except: ['acme/app'] }, []],
    [{ ...abandoned, except: ['*'] }, ['rules[0].except']],
    [{ ...abandoned, except: ['*/*'] }, ['rules[0].except']],
    [{ ...abandoned, packages: ['*'], except: ['*/*'] }, ['rules[0].except']],
    [{ ...abandoned, packages: ['acme/app', 'acme/t*'], except: ['acme/*'] }, ['rules[0].except']],
    [{ ...abandoned, packages: ['acme/app'], except: ['ACME/App'] }, ['rules[0].except']],
    [{ ...abandoned, packages: ['acme/*'], except: ['acme/a*'] }, []],
    [{ ...abandoned, packages: ['acme/app', 'none/*'] }, ['rules[0].packages[1]']],
    [{ ...abandoned, packages: ['acme/*'], origin: 'mirrored' }, ['rules[0].packages[0]']],
    [{ ...abandoned, packages: ['some/lib'], origin: 'mirrored' }, []],
    [{ ...abandoned, tokens: ['tok_1', 'tok_2', 'tok_3'] }, ['rules[0].tokens[1]', 'rules[0].tokens[2]']],
    [{ ...abandoned, archives: 'serve' }, []],
    [{ ...abandoned, archives: 'refuse', action: 'log' }, ['rules[0].archives']],
    [{ name: 'r', rule: 'required', fields: ['license'], action: 'block', archives: 'serve' }, ['rules[0].archives']],
    [
      { name: 'r', rule: 'required', fields: ['license'], action: 'block', packages: ['some/*'] },
      ['rules[0].packages[0]'],
    ],
    [{ name: 's', rule: 'source', action: 'block', except: ['*'] }, ['rules[0].except']],
    [{ name: 'p', rule: 'plugin', allow: ['*'], action: 'block' }, ['rules[0].allow']],
    [{ name: 'p', rule: 'plugin', allow: ['*/*'], action: 'block' }, ['rules[0].allow']],
    [{ name: 'p', rule: 'plugin', allow: ['composer/*'], action: 'block' }, []],
    [{ name: 'f', rule: 'filter', lists: ['malware', 'typo'], action: 'block' }, ['rules[0].lists[1]']],
    [{ name: 'c', rule: 'composer', versions: '>3 <2', action: 'block' }, ['rules[0].versions']],
    [{ name: 'c', rule: 'composer', versions: '>=2.2', action: 'block' }, []],
  ])('%j is remarked at %j', (rule, paths) => {
    expect(remarks([rule])).toEqual(paths);
  });

  it('that is said to be covered by `except` concerns no name', () => {
    const pattern = fc.constantFrom('*', '*/*', 'a/*', 'a/b', 'a/b*', 'ab/*', 'a*/b', '*/b', 'a/*b');
    const name = fc.constantFrom('a/b', 'a/bb', 'ab/b', 'b/b', 'ab/a', 'a/ab', 'bb/ba');
    const some = fc.array(pattern, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(some, some, name, (packages, except, given) => {
        const document = policyOf([{ ...abandoned, packages, except }]);
        const isRemarked = unmatchableRules(document, known).some(({ path }) => path === 'rules[0].except');
        if (isRemarked) expect(compilePolicy(document).rules[0]?.concerns(given, 'private')).toBe(false);
      }),
      { numRuns: Number(process.env['SERIES_RUNS'] ?? 300) },
    );
  });
});

describe('an exception', () => {
  it.each([
    [exception, []],
    [{ ...exception, until: '2026-11-26' }, ['exceptions[0].until']],
    [{ ...exception, until: '2026-11-27' }, []],
    [{ ...exception, until: '2026-11-27T12:00:00Z' }, ['exceptions[0].until']],
    [{ ...exception, packages: ['none/x'] }, ['exceptions[0].packages']],
    [{ ...exception, packages: ['acme/tool'] }, ['exceptions[0].packages']],
    [{ ...exception, packages: ['acme/*'] }, []],
    [{ ...exception, packages: ['acme/app', 'acme/none'] }, ['exceptions[0].packages[1]']],
    [{ ...exception, versions: '>2 <1' }, ['exceptions[0].versions']],
  ])('%j is remarked at %j', (given, paths) => {
    expect(remarks([{ ...abandoned, packages: ['acme/*'], except: ['acme/tool'] }], [given])).toEqual(paths);
  });

  it('from a rule of a setting needs that rule', () => {
    const given = [{ ...exception, rule: 'mirroring.abandoned', packages: ['some/lib'] }];
    const ofSettings = [
      { name: 'mirroring.abandoned', rule: 'abandoned', action: 'block', origin: 'mirrored' },
    ] as const;
    expect([remarks([], given), remarks([], given, { ofSettings })]).toEqual([['exceptions[0].rule'], []]);
  });
});
