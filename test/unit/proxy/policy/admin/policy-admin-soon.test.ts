// Tests what pages learn of versions with an advisory within a moment: the last known ones while these are recent.

import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPolicyAdmin } from '../../../../../proxy/policy/admin/policy-admin.ts';
import type { CandidatePackage, PackageSource } from '../../../../../proxy/policy/admin/package-source.ts';
import { noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { createPolicyReader } from '../../../../../proxy/policy/apply/policy-reader.ts';
import { factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';
import { noPolicy, type PolicyDocument } from '../../../../../proxy/policy/model/policy-document.ts';
import { settingDefinitions } from '../../../../../proxy/settings/definitions.ts';
import { packageName } from '../../../../util/running-mirror.ts';

const entry = { list: 'malware', constraint: '*', reason: null, feed: 'f' };
const outside = { ...noOutsideLists, entriesOf: () => [entry] };
const values = Object.fromEntries(Object.entries(settingDefinitions).map(([key, { standard }]) => [key, standard]));
const block: PolicyDocument = {
  rules: [{ name: 'no-malware', rule: 'filter', lists: ['malware'], action: 'block' }],
  exceptions: [],
};

/** A mirrored package, whose versions the test chooses. Reading it takes longer than a page waits for recent marks. */
function open() {
  const now = { ms: Date.parse('2026-06-01T12:00:00Z'), policy: noPolicy, versions: ['1.0.0'], isStuck: false };
  const name = packageName('some/lib');
  const read = async (): Promise<CandidatePackage> => {
    await (now.isStuck ? new Promise(() => undefined) : setTimeout(40));
    const versions = now.versions.map((version) => {
      const record = { version, version_normalized: `${version}.0` };
      const release = { version_normalized: record.version_normalized, releasedMs: 0 };
      return { facts: factsOfRecord(record), release, isOffered: true, stored: true };
    });
    return { name, origin: 'mirrored', beside: {}, versions, gains: () => new Map() };
  };
  const source: PackageSource = { origin: 'mirrored', names: async () => [name], stamp: () => '', read };
  const sources = {
    settings: { current: () => values as never },
    document: () => now.policy,
    outside: () => outside,
  };
  const unused = {} as Record<'store' | 'uses' | 'artifactsOf' | 'tokens' | 'stagedRecord', never>;
  const admin = createPolicyAdmin({
    ...unused,
    file: null,
    sources,
    reader: createPolicyReader(sources),
    packages: [source],
    hasBuilder: true,
    now: () => now.ms,
  });
  const soon = async () =>
    (await admin.exposuresSoon(10))?.versions.map(({ version, refused }) => `${version}${refused ? ' refused' : ''}`);
  return { now, soon };
}

it('waits for marks of this policy, and of this minute', async () => {
  const { now, soon } = open();
  expect(await soon()).toEqual(['1.0.0']);
  now.policy = block;
  expect(await soon()).toEqual(['1.0.0 refused']);
  now.policy = noPolicy;
  expect(await soon()).toEqual(['1.0.0']);
  now.versions = ['1.0.0', '1.1.0'];
  now.ms += 4 * 60_000;
  expect(await soon()).toEqual(['1.0.0', '1.1.0']);
});

it('gives the last known marks while a reading takes long', async () => {
  const { now, soon } = open();
  await soon();
  now.isStuck = true;
  for (const ms of [20_000, 4 * 60_000]) {
    now.ms += ms;
    expect(await soon()).toEqual(['1.0.0']);
  }
});
