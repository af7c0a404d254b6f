// A valid row of each kind about the use of packages by tokens.

import type { JsonValue } from '../../build/contract/json.ts';

export const usageRows: Readonly<Record<string, JsonValue>> = {
  'project/prj_1': { id: 'prj_1', name: 'shop', reported: '2026-11-22', created_by: 'cli:a', owner: 'cli:a' },
  'usage/counting': { since: '2026-11-22', removed: '2026-11-22' },
  'used/acme/hello/tok_1': {
    who: { id: 'tok_1', description: 'CI', kind: 'read', created_by: 'cli:a', person: null, run_url: null },
    versions: {
      '1.0.0': {
        first: '2026-11-22',
        last: '2026-11-22',
        installed: null,
        sum: [2, 0],
        days: { '2026-11-22': [2, 0] },
      },
    },
    cut: 0,
  },
  'used-by/tok_1/acme/hello': 1,
  'used-rows/acme/hello': { rows: 1, cut: 0 },
};
