// Signed tokens (JWT, RFC 7519) of one algorithm, each with one purpose. The header of a token only selects a key of
// our ring (RFC 8725 §3.1); `jku`, `jwk` and `x5u` are ignored.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

import { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

/** Node 20 warns at each start that Ed25519 is experimental. */
const algorithm = 'ES256';
const issuer = 'libretto';

/** The accepted difference between the clocks of two hosts. */
export const leewayMs = 30_000;

/** Each purpose has a separate `typ` and audience, so that a token serves no other purpose (RFC 8725 §3.11). */
export type SignedPurpose = 'session' | 'confirmation' | 'first-step' | 'passkey';

export interface SignedClaims {
  /** `usr_…`; of the challenge for a passkey of anybody: `anybody` */
  readonly subject: string;
  /**
   * of a session: its secret id; of a confirmation: the `ses_…` of the session that it belongs to; of a first step: the
   * mark of the password; of a passkey: the ceremony and its challenge
   */
  readonly sessionId: string;
}

export interface SignedTokens {
  readonly sign: (
    purpose: SignedPurpose,
    claims: SignedClaims,
    span: { readonly issuedMs: number; readonly expiresMs: number },
  ) => Promise<Secret>;
  /** undefined: foreign, of another purpose, or expired. */
  readonly verify: (purpose: SignedPurpose, text: string, nowMs: number) => Promise<SignedClaims | undefined>;
}

/** Longer than any token made here. */
const longest = 2048;

export function createSignedTokens(ring: KeyRing): SignedTokens {
  // parsing a key costs several times a verification
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
    sign: async (purpose, claims, span) => sign(ring.current('signing'), purpose, claims, span),
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

async function sign(
  { kid, material }: RingKey,
  purpose: SignedPurpose,
  { subject, sessionId }: SignedClaims,
  { issuedMs, expiresMs }: { readonly issuedMs: number; readonly expiresMs: number },
): Promise<Secret> {
  const token = new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: algorithm, kid, typ: typeOf(purpose) })
    .setIssuer(issuer)
    .setAudience(audienceOf(purpose))
    .setSubject(subject)
    .setIssuedAt(Math.floor(issuedMs / 1000))
    .setExpirationTime(Math.floor(expiresMs / 1000));
  return new Secret(await token.sign(createPrivateKey(material)));
}

function typeOf(purpose: SignedPurpose): string {
  return `libretto-${purpose}+jwt`;
}

function audienceOf(purpose: SignedPurpose): string {
  return `libretto:${purpose}`;
}
