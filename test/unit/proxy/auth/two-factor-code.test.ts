// Codes of the second factor against the vectors of RFC 6238, and what recovery codes are made of.

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

describe('a code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('of RFC 6238 appendix B at %i seconds is taken: its step is used up then', (seconds, code) => {
    const left = useCode(user(), code, sealer, seconds * 1000);
    expect(left?.last_step).toBe(Math.floor(seconds / 30));
    expect(useCode(user({ last_step: left?.last_step ?? 0 }), code, sealer, seconds * 1000)).toBeUndefined();
  });

  it('may be typed with blanks, and is nothing else than six digits', () => {
    expect(useCode(user(), ' 287 082 ', sealer, 59_000)).toBeDefined();
    for (const code of ['287083', '28708', '2870820', '', ' ', '२८७०८२'])
      expect(useCode(user(), code, sealer, 59_000), code).toBeUndefined();
  });

  it('is asked of nobody who has no authenticator', () => {
    expect(useCode({ ...user(), two_factor: null }, '287082', sealer, 59_000)).toBeUndefined();
  });
});

describe('recovery codes', () => {
  it('are ten of 120 random bits each', () => {
    const sizes: number[] = [];
    const { codes, hashes } = mintRecoveryCodes((size) => (sizes.push(size * 8), randomBytes(size)));
    expect(sizes).toEqual(Array.from({ length: 10 }, () => 120));
    expect([codes.length, new Set(hashes).size]).toEqual([10, 10]);
    expect(String(codes[0])).toBe('[secret]');
  });

  it('count for nothing before two-factor authentication is enabled', () => {
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

it('the secret has 160 bits, and the URI names issuer, account and secret', () => {
  const secret = mintTwoFactorSecret(randomBytes);
  expect(secret.reveal()).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(twoFactorUri(secret, 'ada@example.org').reveal());
  expect(decodeURIComponent(uri.pathname)).toContain('Libretto:ada@example.org');
  expect(uri.searchParams.get('secret')).toBe(secret.reveal());
  expect(uri.searchParams.get('issuer')).toBe('Libretto');
});
