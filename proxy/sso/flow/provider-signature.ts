// The signature of a JWT of an identity provider, checked with the keys that are kept for each issuer.

import { compactVerify, decodeProtectedHeader, errors, type JWSHeaderParameters } from 'jose';
import type { IssuerKeys } from '../../oidc/issuer-keys.ts';

const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** What is wrong, in words; undefined: the provider signed it. `what`: names the JWT. Rejects with IssuerUnavailable. */
export async function signatureFault(
  keys: IssuerKeys,
  issuer: string,
  jwt: string,
  what: string,
): Promise<string | undefined> {
  try {
    const header = decodeProtectedHeader(jwt) as JWSHeaderParameters;
    const key = algorithms.includes(header.alg ?? '') ? await keys.keyFor(issuer, header) : undefined;
    if (key === undefined) {
      const named = `${String(header.alg).slice(0, 40)}, ${String(header.kid ?? 'without kid').slice(0, 80)}`;
      return `the provider publishes no key for its ${what} (${named})`;
    }
    await compactVerify(jwt, key, { algorithms });
    return undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return error.message;
    throw error;
  }
}
