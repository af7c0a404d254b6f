// Tests the rules about releases: age, licence and abandoned packages, each as a refusal or a warning.

import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { applyRules } from '../../../../../proxy/mirror/rules/release-rules.ts';
import { releaseRules, type GivenRules } from '../../../../util/release-rules.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const ruled = (record: Readonly<Record<string, never>>, rules: GivenRules): ReturnType<typeof applyRules> =>
  applyRules('some/lib' as PackageName, [{ version: '1.0.0', ...record }], releaseRules(rules), now);
const isOffered = async (record: object, rules: GivenRules): Promise<boolean> =>
  (await ruled(record as never, rules)).offered.length === 1;

describe('a release', () => {
  it('is offered once it is old enough, and the time of its offer is known', async () => {
    const day = 86_400_000;
    expect(await isOffered({ time: '2026-01-30T11:59:59+00:00' }, { minimumAgeMs: day })).toBe(true);
    expect(await isOffered({ time: '2026-01-30T12:00:01+00:00' }, { minimumAgeMs: day })).toBe(false);
    expect(await isOffered({}, { minimumAgeMs: day })).toBe(false);
    expect(await isOffered({ time: 'yesterday' }, { minimumAgeMs: day })).toBe(false);
    expect(await isOffered({}, {})).toBe(true);
    expect((await ruled({ time: '2026-01-31T00:00:00Z' } as never, { minimumAgeMs: day })).changesAtMs).toBe(
      Date.parse('2026-02-01T00:00:00Z'),
    );
  });

  it.each([
    ['MIT', true],
    [['GPL-3.0-only', 'mit'], true],
    ['(GPL-2.0 or BSD-3-Clause)', true],
    ['(GPL-2.0 and MIT)', false],
    ['GPL-2.0 or MIT and BSD-2-Clause', true],
    ['MIT and (GPL-2.0 or Apache-2.0)', true],
    ['proprietary', false],
    ['(MIT', false],
    ['MIT MIT', false],
    ['', false],
    [[], false],
    [undefined, false],
  ])('of the licence %j is offered: %s', async (license, offered) => {
    const licenses = { allow: ['MIT', 'Apache-2.0', 'BSD-*'], action: 'refuse' } as const;
    expect(await isOffered({ license }, { licenses })).toBe(offered);
    const warned = await ruled({ license } as never, { licenses: { ...licenses, action: 'warn' } });
    expect(warned.offered).toHaveLength(1);
    expect(warned.warnings).toHaveLength(offered ? 0 : 1);
  });

  it('a release of an abandoned package is refused or gets a warning, with the suggested replacement', async () => {
    expect(await isOffered({ abandoned: true }, { abandoned: 'refuse' })).toBe(false);
    expect(await isOffered({ abandoned: false }, { abandoned: 'refuse' })).toBe(true);
    expect((await ruled({ abandoned: 'some/other' } as never, { abandoned: 'warn' })).warnings).toEqual([
      'some/lib: it is abandoned; use some/other instead (1.0.0).',
    ]);
    expect(await isOffered({ abandoned: true }, {})).toBe(true);
  });
});
