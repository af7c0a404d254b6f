// Tests that the rules of the settings keep every outcome when they become rules of the policy: the same records are
// judged before and after, at all times that matter.

import { expect, it } from 'vitest';

import { noAdvisories } from '../../../../../build/contract/advisory-lists.ts';
import { importSettings } from '../../../../../proxy/policy/admin/import-settings.ts';
import { noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { createPolicyReader, storedDocument } from '../../../../../proxy/policy/apply/policy-reader.ts';
import { factsOfRecord } from '../../../../../proxy/policy/judge/facts.ts';
import { blockOf, judgePackage, refusalOf } from '../../../../../proxy/policy/judge/judge.ts';
import { replacePolicy } from '../../../../../proxy/policy/records/stored-policy.ts';
import { createSettings } from '../../../../../proxy/settings/settings.ts';
import { createAuditedStore } from '../../../../../proxy/state/audit.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';

const startMs = Date.parse('2026-11-27T12:00:00Z');
const records = [undefined, 'MIT', 'GPL-3.0-only', ['MIT', 'GPL-3.0-only']].flatMap((license) =>
  [undefined, '2026-11-20T00:00:00Z', '2026-11-27T11:30:00Z'].flatMap((time) =>
    [undefined, true, 'other/lib'].map((abandoned, at) => ({
      version: `1.${at}.0`,
      version_normalized: `1.${at}.0.0`,
      ...(license === undefined ? {} : { license }),
      ...(time === undefined ? {} : { time, 'published-time': '2026-11-27T11:59:00Z' }),
      ...(abandoned === undefined ? {} : { abandoned }),
    })),
  ),
);

function registry() {
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now: () => startMs });
  const settings = createSettings({ store, baseline: {} });
  const reader = createPolicyReader({
    settings,
    document: storedDocument(state),
    own: { read: () => noAdvisories },
    outside: () => noOutsideLists,
  });
  /** All that a version gets: left out, refused, warned of; without the names of rules. */
  const outcomes = async (): Promise<unknown> => {
    const policy = await reader.current(startMs);
    return (['private', 'mirrored'] as const).flatMap((origin) =>
      records.flatMap((record) =>
        [startMs, startMs + 3_600_000].map((nowMs) => {
          const { rules } = policy.rules.about('some/lib', origin, undefined);
          const judgement = judgePackage(rules, policy.factsOf('some/lib' as never, origin))(
            factsOfRecord(record),
            nowMs,
          );
          return [
            blockOf(judgement)?.because,
            refusalOf(judgement, true)?.because,
            refusalOf(judgement, false)?.because,
            judgement.changesAtMs,
            judgement.findings.map(({ rule, because, exception }) => [rule.action, because, exception?.owner]),
          ];
        }),
      ),
    );
  };
  return { state, store, settings, outcomes };
}

const exception = { packages: ['some/*'], owner: 'ann', reason: 'r', until: '2027-01-01' };

it.each([
  [{ 'mirroring.licenses': ['MIT'], 'mirroring.license_rule': 'warn' }, []],
  [{ 'mirroring.licenses': ['MIT'], 'mirroring.abandoned': 'refuse', 'mirroring.minimum_age': 3600 }, []],
  [{ 'mirroring.abandoned': 'warn', 'mirroring.minimum_age': 3_000 }, []],
  [{ 'mirroring.abandoned': 'refuse' }, [{ ...exception, rule: 'mirroring.abandoned', versions: '1.1.*' }]],
  [{ 'mirroring.license_rule': 'warn' }, []],
])('%j keeps every outcome', async (values, exceptions) => {
  const { store, settings, outcomes } = registry();
  const own = { name: 'own', rule: 'license', allow: ['MIT', 'BSD-*'], action: 'warn' };
  await settings.update(values as never, 'cli:test');
  await replacePolicy({ store, actor: 'cli:test' }, { rules: [own], exceptions } as never, undefined);
  const [before, events] = [await outcomes(), (await store.range('audit/event/')).length];
  const imported = await importSettings({ store, actor: 'cli:test' }, { dryRun: false });
  expect(await outcomes()).toEqual(before);
  expect((await store.range('audit/event/')).length).toBe(events + 1);
  expect([await store.range('setting/mirroring.'), imported.settings]).toEqual([[], Object.keys(values)]);
  expect(await importSettings({ store, actor: 'cli:test' }, { dryRun: false })).toMatchObject({ settings: [] });
});

it('refuses a policy that already has a rule of this name, and changes nothing', async () => {
  const { store, settings } = registry();
  await settings.update({ 'mirroring.abandoned': 'warn' }, 'cli:test');
  const taken = { name: 'mirroring-abandoned', rule: 'abandoned', action: 'log' };
  await replacePolicy({ store, actor: 'cli:test' }, { rules: [taken] } as never, undefined);
  await expect(importSettings({ store, actor: 'cli:test' }, { dryRun: false })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect((await settings.current())['mirroring.abandoned']).toBe('warn');
});
