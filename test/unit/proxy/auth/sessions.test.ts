// Tests that the record of a session keeps fields of a later program: servers of two versions share the state during an
// upgrade.

import { expect, it } from 'vitest';
import { parseSessionRecord } from '../../../../proxy/auth/sessions.ts';

it('accepts and keeps fields that this program does not know', () => {
  const at = '2026-11-30T00:00:00.000Z';
  const record = { id: 'ses_1', created_at: at, expires_at: at, address: '192.0.2.1', browser: 'Firefox on Linux' };
  expect(parseSessionRecord(record)).toEqual(record);
  expect(() => parseSessionRecord({ ...record, address: 1 })).toThrow('A session record');
});
