// Tests what an upload answers while this server does not know the version yet: it follows an object store.

import { expect, it } from 'vitest';
import { noAdvisories } from '../../../../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { holdOn } from '../../../../../proxy/policy/admin/explain-policy.ts';
import { CurrentPolicy, noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../../../../proxy/policy/judge/compile-policy.ts';
import type { VersionRule } from '../../../../../proxy/policy/model/policy-document.ts';

const holdUnder = (rules: readonly VersionRule[]) => {
  const policy = new CurrentPolicy(compilePolicy({ rules, exceptions: [] }), noAdvisories, noOutsideLists);
  const parts = { reader: { current: () => policy }, packages: [], now: () => 0 };
  return holdOn(parts as never, 'acme/app' as PackageName, '1.0.0');
};

it('says that a hold is unknown for a version that this server does not have yet', async () => {
  const rule = { name: 'new', rule: 'capability', action: 'block' } as const;
  expect(await holdUnder([rule])).toEqual({
    notices: [expect.stringMatching(/^It is unknown whether a rule holds acme\/app 1\.0\.0: .* object store yet\. /)],
  });
  expect(await holdUnder([{ ...rule, action: 'warn' }])).toEqual({ notices: [] });
});
