// Tests which published versions an advisory or an entry of a filter list is about.

import { describe, expect, it } from 'vitest';
import { versionWarnings } from '../../../../../../proxy/console/pages/package/advised-versions.ts';
import { sampleVersion } from '../../../../../util/sample-version.ts';

const versions = ['2.0.0', '1.1.0', '1.0.0', 'dev-main'].map((version) => sampleVersion(version));

const advisory = {
  advisoryId: 'ACME-1',
  packageName: 'acme/hello',
  affectedVersions: '<1.1|2.0.0',
  title: 'Greets everybody',
  cve: 'CVE-2026-1',
  link: 'javascript:alert(1)',
  reportedAt: '2026-03-01T12:00:00+00:00',
  sources: [{ name: 'acme', remoteId: 'A-1' }],
};

describe('warnedVersions', () => {
  it('lists an advisory with its ids, and the versions within its constraint', () => {
    const [warned] = versionWarnings({ advisories: [advisory], filter: {} }, versions);
    expect(warned).toMatchObject({ ids: ['ACME-1', 'CVE-2026-1', 'A-1'], affected: ['2.0.0', '1.0.0'] });
    expect(warned?.link).toBeUndefined();
  });

  it('lists the entries of filter lists, with their reasons', () => {
    const filter = { malware: [{ constraint: '1.0.0', reason: 'steals keys', url: 'https://acme.example/1' }] };
    expect(versionWarnings({ advisories: [], filter }, versions)).toMatchObject([
      { title: 'steals keys', ids: ['list malware'], affected: ['1.0.0'], link: 'https://acme.example/1' },
    ]);
  });

  it('finds no version for a constraint that Composer refuses', () => {
    const broken = { ...advisory, affectedVersions: '!!' };
    expect(versionWarnings({ advisories: [broken], filter: {} }, versions)[0]?.affected).toEqual([]);
  });
});
