// Tests the severity of OSV advisories: the word of the database first, then the newest CVSS vector.

import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { severityOf } from '../../../../../proxy/advisory-feeds/osv/osv-severity.ts';

const v3 = (score: unknown): JsonObject => ({ severity: [{ type: 'CVSS_V3', score: score as string }] });

it.each<[string | null, JsonObject, JsonObject[]]>([
  [
    'medium',
    { database_specific: { severity: 'MODERATE' }, ...v3('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H') },
    [],
  ],
  ['high', {}, [{ database_specific: { severity: 'high' } }]],
  ['critical', v3('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'), []], // 9.8
  ['high', v3('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N'), []], // 7.5
  ['medium', v3('CVSS:3.0/AV:N/AC:H/PR:L/UI:R/S:C/C:L/I:L/A:N'), []], // 4.4
  ['low', v3('CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N'), []], // 1.6
  [null, v3('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N'), []], // 0.0
  ['high', { severity: [{ type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }] }, []], // 7.5
  [
    'critical', // 9.3, and 1.6 in the older form
    {
      severity: [
        { type: 'CVSS_V3', score: 'CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N' },
        { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
      ],
    },
    [],
  ],
  ['low', {}, [v3('CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N')]],
  [null, v3('CVSS:3.1/AV:N'), []],
  [null, v3('rubbish'), []],
  [null, v3(9.8), []],
  [null, v3('CVSS:3.1/'.padEnd(600, 'A')), []],
  [null, { database_specific: { severity: 'constructor' } }, []],
  [null, { database_specific: 'HIGH', severity: 'HIGH' }, []],
])('is %s for %j and %j', (severity, advisory, affected) => {
  expect(severityOf(advisory, affected)).toBe(severity);
});
