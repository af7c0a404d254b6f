// Codes of the second factor: six digits of an authenticator (TOTP, RFC 6238: SHA-1, 30 seconds), or one of ten
// recovery codes. Each code is valid once.

import { hash } from 'node:crypto';
import { Secret as OtpSecret, TOTP } from 'otpauth';

import type { Sealer } from '../keys/sealer.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { TwoFactor, UserRecord } from './user.ts';

const periodMs = 30_000;

function authenticator(secret: Secret, email: string): TOTP {
  return new TOTP({
    issuer: 'Libretto',
    label: email,
    algorithm: 'SHA1',
    digits: 6,
    period: periodMs / 1000,
    secret: OtpSecret.fromBase32(secret.reveal()),
  });
}

/** 160 bits in base32, as authenticators take it. */
export function mintTwoFactorSecret(randomBytes: RandomBytes): Secret {
  return new Secret(new OtpSecret({ buffer: Uint8Array.from(randomBytes(20)).buffer }).base32);
}

/** `otpauth://…`, for authenticators. The text contains the secret. */
export function twoFactorUri(secret: Secret, email: string): Secret {
  return new Secret(authenticator(secret, email).toString());
}

/**
 * The new `user.two_factor` after the use of this code; undefined: the code is wrong or used already. A code of one
 * step of 30 seconds earlier or later is accepted.
 */
export function useCode(user: UserRecord, code: string, sealer: Sealer, nowMs: number): TwoFactor | undefined {
  const { two_factor } = user;
  if (two_factor === null) return undefined;
  const text = code.replaceAll(/[\s-]/g, '');
  if (!/^\d{6}$/.test(text)) return useRecoveryCode(two_factor, text);
  if (two_factor.secret === null) return undefined;
  const step = stepOf(two_factor.secret, user, text, sealer, nowMs);
  return step !== undefined && step > two_factor.last_step ? { ...two_factor, last_step: step } : undefined;
}

/**
 * The new `user.two_factor` after the first code of an authenticator that was set up; undefined: the code is wrong. A
 * person with passkeys has `next_secret` until then.
 */
export function useFirstCode(user: UserRecord, code: string, sealer: Sealer, nowMs: number): TwoFactor | undefined {
  if (user.two_factor?.next_secret === undefined) return useCode(user, code, sealer, nowMs);
  const { next_secret: secret, ...two_factor } = user.two_factor;
  const text = code.replaceAll(/[\s-]/g, '');
  const step = /^\d{6}$/.test(text) ? stepOf(secret, user, text, sealer, nowMs) : undefined;
  return step === undefined ? undefined : { ...two_factor, secret, last_step: step };
}

/** The second factor of a person with passkeys and without an authenticator app. `recovery_codes`: their hashes. */
export function passkeysAlone(recovery_codes: readonly string[], nowMs: number): TwoFactor {
  return { secret: null, enabled_at: new Date(nowMs).toISOString(), last_step: 0, recovery_codes };
}

/** The step of time of a code; undefined: the code is wrong. */
function stepOf(
  sealed: string,
  { id, email }: UserRecord,
  token: string,
  sealer: Sealer,
  nowMs: number,
): number | undefined {
  const delta = authenticator(sealer.unseal(sealed, id), email).validate({ token, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / periodMs) + delta;
}

function useRecoveryCode(two_factor: TwoFactor, text: string): TwoFactor | undefined {
  const hashed = hashRecoveryCode(text);
  if (two_factor.enabled_at === null || !two_factor.recovery_codes.includes(hashed)) return undefined;
  return { ...two_factor, recovery_codes: two_factor.recovery_codes.filter((left) => left !== hashed) };
}

/**
 * Ten codes of 120 random bits, in groups of base32 (`ABCD-…`), and their stored hashes. With so many bits a plain
 * SHA-256 is enough (OWASP ASVS 6.5.2).
 */
export function mintRecoveryCodes(randomBytes: RandomBytes): {
  readonly codes: readonly Secret[];
  readonly hashes: readonly string[];
} {
  const texts = Array.from(
    { length: 10 },
    () => new OtpSecret({ buffer: Uint8Array.from(randomBytes(15)).buffer }).base32,
  );
  return {
    codes: texts.map((text) => new Secret(text.replaceAll(/(.{4})(?=.)/g, '$1-'))),
    hashes: texts.map(hashRecoveryCode),
  };
}

function hashRecoveryCode(text: string): string {
  return hash('sha256', text.toUpperCase(), 'hex');
}
