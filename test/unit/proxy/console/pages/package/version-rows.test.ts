// Tests the rows of the list of versions.

import { describe, expect, it } from 'vitest';
import { versionRows } from '../../../../../../proxy/console/pages/package/version-rows.ts';
import type { WhyVersion } from '../../../../../../build/contract/why.ts';
import { sampleVersion } from '../../../../../util/sample-version.ts';

const known = (version: string, state: WhyVersion['state'], since = '2026-01-01T00:00:00Z'): WhyVersion => ({
  version,
  state,
  since,
  source: '/srv/hello',
  reference: 'c'.repeat(40),
  shasum: 'd'.repeat(40),
  size: 10,
  time: null,
  signed_by: null,
  archive: 'dist/acme/hello/c.zip',
});

const published = ['2.0.0', '2.0.0-RC1', 'dev-main', '1.0.0'].map((version) => sampleVersion(version));
const rowsOf = (contents: readonly WhyVersion[] = []) =>
  versionRows({ published, known: contents, downloads: new Map([['1.0.0', 7]]) });

describe('versionRows', () => {
  it('lists releases before branches, each release with the one before it', () => {
    expect(rowsOf().map(({ version, kind, previous }) => [version, kind, previous])).toEqual([
      ['2.0.0', 'stable', '2.0.0-RC1'],
      ['2.0.0-RC1', 'stable', '1.0.0'],
      ['1.0.0', 'stable', undefined],
      ['dev-main', 'development', undefined],
    ]);
    expect(rowsOf()[2]?.downloads).toBe(7);
  });

  it('adds withdrawn versions once, the last withdrawal first, and says which a person can restore', () => {
    const rows = rowsOf([
      known('0.9.0', 'withdrawn', '2026-01-01T00:00:00Z'),
      known('0.9.0', 'withdrawn', '2026-02-01T00:00:00Z'),
      known('0.8.0', 'withheld', '2026-03-01T00:00:00Z'),
      known('dev-main', 'superseded'),
    ]).filter(({ kind }) => kind === 'withdrawn');
    expect(rows.map(({ version, since, isByHand }) => [version, since, isByHand])).toEqual([
      ['0.8.0', '2026-03-01T00:00:00Z', true],
      ['0.9.0', '2026-02-01T00:00:00Z', false],
    ]);
  });

  it('does not call a version withdrawn that is published again, under any label', () => {
    expect(rowsOf([known('v1.0.0', 'withdrawn')]).some(({ kind }) => kind === 'withdrawn')).toBe(false);
  });
});
