// The people of the identity provider of tests, and the keys that it signs with.

import { exportJWK, SignJWT, type CryptoKey, type JWK, type JWTHeaderParameters } from 'jose';
import { takeRsaKey } from './rsa-keys.ts';

export interface ProviderPerson {
  readonly sub: string;
  /** in the ID token, and in the answer of the userinfo endpoint */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** with its private part */
  readonly jwk: JWK;
}

let made = 0;

export async function makeKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await takeRsaKey();
  made += 1;
  const kid = `provider-key-${made}`;
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

export function signWith(key: SigningKey, claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header }).sign(key.privateKey);
}
