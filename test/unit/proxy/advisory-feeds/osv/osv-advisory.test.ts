// Tests an advisory of OSV as a row of the list: only what it says of the package counts, and its texts are short.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { advisoryFor, malwareEntries } from '../../../../../proxy/advisory-feeds/osv/osv-advisory.ts';

const name = 'acme/lib' as PackageName;
const head = { id: 'GHSA-1', modified: '2026-01-01T00:00:00Z' };
const about = (named: string, fixed: string, ecosystem = 'Packagist'): JsonObject => ({
  package: { ecosystem, name: named },
  ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
});

it('has the affected versions of the package alone, in any case of its letters', () => {
  const advisory = {
    summary: 'Bad',
    aliases: ['CVE-2026-1', 'GHSA-1', 17, 'CVE-2026-1', 'no id at all'],
    database_specific: { severity: 'HIGH' },
    references: [
      { type: 'WEB', url: 'https://web.example/' },
      { type: 'ADVISORY', url: 'javascript:alert(1)' },
      { type: 'ADVISORY', url: 'https://advisory.example/1' },
    ],
    affected: [about('acme/other', '9.0'), about('lib', '8.0', 'npm'), about('Acme/Lib', '2.0')],
  };
  expect(advisoryFor(name, advisory, head)).toEqual({
    ...head,
    aliases: ['CVE-2026-1'],
    severity: 'high',
    constraint: '<2.0',
    title: 'Bad',
    link: 'https://advisory.example/1',
  });
});

it('says when it is not about the package, withdrawn, or without versions that can be read', () => {
  const constraintOf = (advisory: JsonObject): string | null | undefined =>
    advisoryFor(name, advisory, head)?.constraint;
  expect(constraintOf({ affected: [about('acme/other', '2.0')] })).toBeUndefined();
  expect(constraintOf({ affected: 'all' })).toBeUndefined();
  expect(constraintOf({ affected: [about('acme/lib', '2.0')], withdrawn: '2026-01-01T00:00:00Z' })).toBe('');
  expect(constraintOf({ affected: [about('acme/lib', 'soon')] })).toBeNull();
});

it('has one short line as its title, whatever the feed sends', () => {
  const title = (summary: string): string | undefined =>
    advisoryFor(name, { summary, affected: [about('acme/lib', '2.0')] }, head)?.title;
  expect(title('a\n\u001B[31mb\u202E c')).toBe('a [31mb c');
  expect(title('x'.repeat(5000))).toHaveLength(160);
  expect(title('\uD800')).toBe('\uFFFD');
  expect(title('')).toBe('Security advisory GHSA-1');
});

it('is an entry of the list "malware", too, if it is about a malicious package', () => {
  const malicious = advisoryFor(
    name,
    { summary: 'Steals', affected: [about('acme/lib', '2.0')] },
    { ...head, id: 'MAL-1' },
  );
  if (malicious === undefined) throw new Error('it is about the package');
  expect(malicious.severity).toBe('critical');
  expect(malwareEntries([malicious, { ...malicious, id: 'GHSA-1' }, { ...malicious, constraint: '' }])).toEqual([
    { list: 'malware', constraint: '<2.0', reason: 'MAL-1: Steals' },
  ]);
});
