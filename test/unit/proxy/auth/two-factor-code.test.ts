// Tests the codes of two-factor authentication against the vectors of RFC 6238, and the form of recovery codes.

import { randomBytes } from 'node:crypto';
import { Secret as OtpSecret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../build/shared/text/secret.ts';
import {
  mintRecoveryCodes,
  mintTwoFactorSecret,
  twoFactorUri,
  useCode,
} from '../../../../proxy/auth/two-factor-code.ts';
import type { TwoFactor, UserRecord } from '../../../../proxy/auth/user.ts';
import type { Sealer } from '../../../../proxy/keys/sealer.ts';

const sealer: Sealer = {
  seal: (secret) => secret.reveal(),
  unseal: (sealed) => new Secret(sealed),
  reseal: (sealed) => sealed,
};
const vectorSecret = OtpSecret.fromLatin1('12345678901234567890').base32;

function user(changes: Partial<TwoFactor> = {}): UserRecord {
  const two_factor: TwoFactor = {
    secret: vectorSecret,
    enabled_at: '2020-01-01T00:00:00.000Z',
    last_step: 0,
    recovery_codes: [],
    ...changes,
  };
  return { id: 'usr_0000000000000000', email: 'ada@example.org', two_factor } as unknown as UserRecord;
}

describe('a one-time code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('of RFC 6238 appendix B at %i seconds is accepted, and its step is used up', (seconds, code) => {
    const left = useCode(user(), code, sealer, seconds * 1000);
    expect(left?.last_step).toBe(Math.floor(seconds / 30));
    expect(useCode(user({ last_step: left?.last_step ?? 0 }), code, sealer, seconds * 1000)).toBeUndefined();
  });

  it('may contain blanks, and otherwise consists of six digits', () => {
    expect(useCode(user(), ' 287 082 ', sealer, 59_000)).toBeDefined();
    for (const code of ['287083', '28708', '2870820', '', ' ', '२८७०८२'])
      expect(useCode(user(), code, sealer, 59_000), code).toBeUndefined();
  });

  it('is not required of a user without an authenticator', () => {
    expect(useCode({ ...user(), two_factor: null }, '287082', sealer, 59_000)).toBeUndefined();
  });
});

describe('recovery codes', () => {
  it('are ten texts of 120 random bits each', () => {
    const sizes: number[] = [];
    const { codes, hashes } = mintRecoveryCodes((size) => (sizes.push(size * 8), randomBytes(size)));
    expect(sizes).toEqual(Array.from({ length: 10 }, () => 120));
    expect([codes.length, new Set(hashes).size]).toEqual([10, 10]);
    expect(String(codes[0])).toBe('[secret]');
  });

  it('are not accepted before two-factor authentication is enabled', () => {
    const {
      codes: [code],
      hashes,
    } = mintRecoveryCodes(randomBytes);
    expect(useCode(user({ recovery_codes: hashes }), code?.reveal() ?? '', sealer, 0)?.recovery_codes).toHaveLength(9);
    expect(
      useCode(user({ recovery_codes: hashes, enabled_at: null }), code?.reveal() ?? '', sealer, 0),
    ).toBeUndefined();
  });
});

it('the secret of an authenticator has 160 bits, and its URI names issuer, account and secret', () => {
  const secret = mintTwoFactorSecret(randomBytes);
  expect(secret.reveal()).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(twoFactorUri(secret, 'ada@example.org').reveal());
  expect(decodeURIComponent(uri.pathname)).toContain('Libretto:ada@example.org');
  expect(uri.searchParams.get('secret')).toBe(secret.reveal());
  expect(uri.searchParams.get('issuer')).toBe('Libretto');
});
