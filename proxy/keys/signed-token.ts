// Signed tokens (JWT, RFC 7519) of one algorithm and one purpose each. What a token's header says of keys and
// algorithms is believed only as far as it names a key of our ring (RFC 8725 §3.1): `jku`, `jwk` and `x5u` are never
// looked at.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

import { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

const algorithm = 'ES256';
const issuer = 'libretto';

/** Clocks of two hosts may differ by so much. */
export const leewayMs = 30_000;

/**
 * Each has a `typ` and an audience of its own, so that no token can stand in for one of another purpose (RFC 8725
 * §3.11).
 */
export type SignedPurpose = 'session';

export interface SignedClaims {
  /** `usr_…` */
  readonly subject: string;
  /** the secret id of the session */
  readonly sessionId: string;
}

export interface SignedTokens {
  readonly sign: (
    purpose: SignedPurpose,
    claims: SignedClaims,
    span: { readonly issuedMs: number; readonly expiresMs: number },
  ) => Promise<Secret>;
  /** undefined: not one of ours, not for this purpose, or its time is over. */
  readonly verify: (purpose: SignedPurpose, text: string, nowMs: number) => Promise<SignedClaims | undefined>;
}

/** Longer than any token made here. */
const longest = 2048;

export function createSignedTokens(ring: KeyRing): SignedTokens {
  // reading a key costs several times what verifying with it does
  const publicKeys = new Map<string, KeyObject>();
  const publicKeyOf = ({ kid, material }: RingKey): KeyObject => {
    const known = publicKeys.get(kid) ?? createPublicKey(material);
    publicKeys.set(kid, known);
    return known;
  };
  const keyAt =
    (nowMs: number) =>
    ({ kid = '' }: { readonly kid?: string }): KeyObject => {
      const key = ring.find('signing', kid);
      if (key === undefined || (key.ends_at !== null && nowMs >= Date.parse(key.ends_at)))
        throw new errors.JWSInvalid('the key is not one of ours');
      return publicKeyOf(key);
    };
  return {
    sign: async (purpose, { subject, sessionId }, { issuedMs, expiresMs }) => {
      const { kid, material } = ring.current('signing');
      const token = new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: algorithm, kid, typ: typeOf(purpose) })
        .setIssuer(issuer)
        .setAudience(audienceOf(purpose))
        .setSubject(subject)
        .setIssuedAt(Math.floor(issuedMs / 1000))
        .setExpirationTime(Math.floor(expiresMs / 1000));
      return new Secret(await token.sign(createPrivateKey(material)));
    },
    verify: async (purpose, text, nowMs) => {
      if (text.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined;
      try {
        const { payload } = await jwtVerify(text, keyAt(nowMs), {
          algorithms: [algorithm],
          typ: typeOf(purpose),
          issuer,
          audience: audienceOf(purpose),
          clockTolerance: leewayMs / 1000,
          currentDate: new Date(nowMs),
          requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        });
        const { sub, sid } = payload;
        return typeof sub === 'string' && typeof sid === 'string' ? { subject: sub, sessionId: sid } : undefined;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

function typeOf(purpose: SignedPurpose): string {
  return `libretto-${purpose}+jwt`;
}

function audienceOf(purpose: SignedPurpose): string {
  return `libretto:${purpose}`;
}
