// Tests the expiry of a token as people write it.

import { describe, expect, it } from 'vitest';
import { parseExpiry } from '../../../../proxy/auth/expiry.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

describe('an expiry', () => {
  it.each([
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['90d', '2026-05-30T12:00:00.000Z'],
    ['2w', '2026-03-15T12:00:00.000Z'],
    ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31t00:00:00z', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T00:00:00.5+02:00', '2027-01-30T22:00:00.500Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2027-01-31', '2027-01-31T23:59:59.000Z'],
    ['2026-03-01', '2026-03-01T23:59:59.000Z'],
  ])('the text %s is understood', (text, expected) => {
    expect(parseExpiry(text, now).toISOString()).toBe(expected);
  });

  it.each([
    ['', 'not a valid expiry'],
    ['90', 'not a valid expiry'],
    ['90 d', 'not a valid expiry'],
    ['1.5d', 'not a valid expiry'],
    ['-1d', 'not a valid expiry'],
    ['3m', 'not a valid expiry'],
    ['tomorrow', 'not a valid expiry'],
    ['2027-02-30', 'not a valid expiry'],
    ['31.01.2027', 'not a valid expiry'],
    ['2026-02-28', 'future'],
    ['2027-01-31T00:00:00', 'not a valid expiry'],
    ['2027-02-30T00:00:00Z', 'not a valid expiry'],
    ['2027-13-01T00:00:00Z', 'not a valid expiry'],
    ['2027-01-31T25:00:00Z', 'not a valid expiry'],
    ['0d', 'future'],
    ['2026-03-01T12:00:00Z', 'future'],
    ['2020-01-01T00:00:00Z', 'future'],
    ['999999d', 'ten years'],
    ['9999-12-31T23:59:59Z', 'ten years'],
  ])('the text %j is refused with the reason', (text, reason) => {
    expect(() => parseExpiry(text, now)).toThrow(
      expect.objectContaining({
        code: 'EXPIRY_INVALID',
        message: expect.stringMatching(new RegExp(`"${text.replace('+', '\\+')}".*${reason}`)),
      }),
    );
  });
});
