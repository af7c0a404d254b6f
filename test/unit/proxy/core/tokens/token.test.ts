// Tests the records of tokens: records from before views see all packages, and malformed records open nothing.

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../build/contract/json.ts';
import { parseTokenRecord } from '../../../../../proxy/core/tokens/token.ts';

const old: JsonObject = {
  id: 'tok_0123456789abcdef',
  description: 'CI',
  kind: 'read',
  limit: null,
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'cli:ada',
  expires_at: null,
  revoked_at: null,
  hash: 'ab'.repeat(32),
};

describe('a token record', () => {
  it('a token record from before views has no limits', () => {
    expect(parseTokenRecord(old)).toMatchObject({
      packages: null,
      constraints: null,
      stability: null,
      not_after: null,
      networks: null,
    });
  });

  it('a token record keeps its limits', () => {
    const limits = {
      packages: ['acme/*'],
      constraints: { 'acme/core': '<3.0' },
      stability: 'stable',
      not_after: '2027-01-31T00:00:00.000Z',
      networks: ['10.0.0.0/8'],
    };
    expect(parseTokenRecord({ ...old, ...limits })).toMatchObject(limits);
  });

  it.each([
    { packages: 'acme/*' },
    { packages: [] },
    { packages: ['acme'] },
    { constraints: { 'acme/core': 'frog' } },
    { constraints: [] },
    { stability: 'none' },
    { not_after: 'soon' },
    { networks: ['home'] },
    { networks: [] },
  ] as const)('a token record with %j is damaged, not unlimited', (broken) => {
    expect(() => parseTokenRecord({ ...old, ...(broken as JsonObject) })).toThrow('malformed');
  });
});
