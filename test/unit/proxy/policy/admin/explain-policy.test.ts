// Tests what an upload answers while this server does not know the version yet: it follows an object store. And what is
// said of a mirrored release whose tag moved after its archive was stored.

import { expect, it } from 'vitest';
import { noAdvisories } from '../../../../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { holdOn } from '../../../../../proxy/policy/admin/explain-policy.ts';
import { explainVersion, outcomeText } from '../../../../../proxy/policy/admin/explain-version.ts';
import { heldIn } from '../../../../../proxy/policy/admin/held-in-package.ts';
import type { CandidatePackage, CandidateVersion } from '../../../../../proxy/policy/admin/package-source.ts';
import { CurrentPolicy, noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';
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

it('says that the former archive of a moved release stays in use', async () => {
  const name = 'some/lib' as PackageName;
  const archive = (reference: string, stored: boolean): CandidateVersion => ({
    facts: factsOfRecord({ version: '1.1.0', version_normalized: '1.1.0.0', dist: { reference } }),
    release: { version_normalized: '1.1.0.0', releasedMs: 0 },
    isOffered: !stored,
    stored,
  });
  const release = {
    version: '1.1.0',
    normalized: '1.1.0.0',
    reference: 'new',
    arrivedMs: 1,
    changedMs: 1,
    capabilities: [],
  };
  const gained = [{ capability: { kind: 'bin', detail: 'run' }, broughtBy: release, before: undefined }] as const;
  const known: CandidatePackage = {
    name,
    origin: 'mirrored',
    beside: {},
    versions: [archive('new', false), archive('old', true)],
    gains: () => new Map([['1.1.0.0', { release, gained }]]) as never,
  };
  const rule = { name: 'new', rule: 'capability', action: 'block' } as const;
  const about = { package: name, version: '1.1.0.0', reference: 'new', by: 'ada', reason: 'read', at: '2026-01-01' };
  const policyWith = (decisions: readonly object[]) =>
    new CurrentPolicy(
      compilePolicy({ rules: [rule], exceptions: [] }, decisions as never),
      noAdvisories,
      noOutsideLists,
    );
  expect(heldIn(known, policyWith([]), 2).held[0]?.because).toMatch(
    /; its tag moved: approved, its former archive is sent$/,
  );
  const source = { origin: 'mirrored', names: () => Promise.resolve([name]), stamp: () => '' } as const;
  const explained = await explainVersion(
    policyWith([{ ...about, decision: 'approved' }]),
    [{ ...source, read: () => Promise.resolve(known) }],
    { name, version: '1.1.0', token: undefined, nowMs: 2 },
  );
  expect([explained.former_reference, outcomeText(explained)]).toEqual([
    'old',
    'some/lib 1.1.0 is offered, with its former archive old: its tag moved.',
  ]);
});
