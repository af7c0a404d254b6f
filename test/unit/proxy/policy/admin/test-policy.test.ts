// Tests that a trial of a policy on two thousand packages lets requests have their turn, and lists a limited number.

import { expect, it } from 'vitest';

import { noAdvisories } from '../../../../../build/contract/advisory-lists.ts';
import { testPolicy } from '../../../../../proxy/policy/admin/test-policy.ts';
import { TokenVisibility } from '../../../../../proxy/policy/admin/token-visibility.ts';
import { CurrentPolicy, noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../../../../proxy/policy/judge/compile-policy.ts';
import { factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';
import type { Rule } from '../../../../../proxy/policy/model/policy-document.ts';

/** Two versions of it are withdrawn, and one of these is still installed. */
const withdrawn = 'vendor8/package1958';

const policyOf = (...rules: readonly Rule[]): CurrentPolicy =>
  new CurrentPolicy(compilePolicy({ rules, exceptions: [] }), noAdvisories, noOutsideLists);

it('gives requests their turn between two thousand packages', async () => {
  const names = Array.from({ length: 2000 }, (_, at) => `vendor${at % 50}/package${at}`);
  const records = Array.from({ length: 5 }, (_, at) => ({ version: `${at}.0.0`, version_normalized: `${at}.0.0.0` }));
  const uses = new Map([
    ['vendor7/package1957', [['3.0.0', 5]] as const],
    [withdrawn, [['4.0.0', 2]] as const],
  ]);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const token = {
    id: 'tok_1' as never,
    status: 'active' as const,
    lastUsedMs: 2,
    access: async () => ({ view: undefined }),
  };
  const found = await testPolicy({
    proposed: policyOf({ name: 'licences', rule: 'license', allow: ['MIT'], action: 'block' }),
    inEffect: policyOf(),
    packages: [
      {
        origin: 'private',
        names: async () => names as never,
        stamp: () => '',
        read: async (name) => ({
          gains: () => new Map(),
          name,
          origin: 'private',
          beside: {},
          versions: records.map((record) => ({
            facts: factsOfRecord(record),
            release: { version_normalized: record.version_normalized, releasedMs: 0 },
            isOffered: name !== withdrawn || Number(record.version[0]) < 3,
            stored: true,
          })),
        }),
      },
    ],
    uses: { of: async (name) => new Map(uses.get(name)), names: async () => [] },
    sight: await TokenVisibility.of([token, { ...token, id: 'tok_2' as never, lastUsedMs: 0 }], 1),
    nowMs: 10,
  });
  isDone = true;
  expect(found.counts).toEqual([{ rule: 'licences', action: 'block', versions: 9999, used: 2, tokens: 1 }]);
  expect([found.examined, found.versions.length]).toEqual([9999, 1000]);
  expect(found.versions[0]).toMatchObject({
    name: 'vendor7/package1957',
    version: '3.0.0',
    used: 5,
    tokens: ['tok_1'],
  });
  expect(found.versions.slice(1, 4).map(({ name, version }) => `${name} ${version}`)).toEqual([
    'vendor8/package1958 4.0.0',
    'vendor0/package0 0.0.0',
    'vendor0/package0 1.0.0',
  ]);
  // at least one turn for each 200 packages
  expect(turns).toBeGreaterThanOrEqual(10);
});
