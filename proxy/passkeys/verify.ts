// Verifies the answers of authenticators with the library, which is loaded with the first answer. The library throws
// for everything that is wrong with an answer.

import type { Passkey } from '../auth/passkey.ts';
import type { Assertion, Attestation } from './answer.ts';
import type { PasskeySite } from './site.ts';

interface Expected {
  readonly challenge: string;
  readonly site: PasskeySite;
}

/** What changes with a use. */
export type UsedPasskey = Pick<Passkey, 'counter' | 'backed_up'>;

/**
 * `wrong`: the answer is no proof. `copied`: the signature is right, and its count is not above the last one, so
 * another authenticator has the private key.
 */
export async function verifyAssertion(
  { credential_id, public_key, counter, rp_id }: Passkey,
  answer: Assertion,
  { challenge, site }: Expected,
): Promise<UsedPasskey | 'wrong' | 'copied'> {
  if (rp_id !== site.rpId || answer.id !== credential_id) return 'wrong';
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle, ...response } = answer.response;
  const verified = await verifyAuthenticationResponse({
    response: { ...answer, response: { ...response, ...(userHandle ? { userHandle } : {}) } },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    // a count of 0: the library compares counts before it knows that the signature is right
    credential: { id: credential_id, publicKey: Uint8Array.from(Buffer.from(public_key, 'base64url')), counter: 0 },
  }).catch(refused);
  if (verified?.verified !== true) return 'wrong';
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  const goesBack = (newCounter > 0 || counter > 0) && newCounter <= counter;
  return goesBack ? 'copied' : { counter: newCounter, backed_up: credentialBackedUp };
}

/** The parts of a new passkey; undefined: the answer is no proof. */
export async function verifyAttestation(
  answer: Attestation,
  { challenge, site }: Expected,
): Promise<Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'backed_up'> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
  }).catch(refused);
  if (verified?.verified !== true) return undefined;
  const { credential, credentialBackedUp } = verified.registrationInfo;
  if (credential.id !== answer.id || !(await isUsableKey(credential.publicKey))) return undefined;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    backed_up: credentialBackedUp,
  };
}

/** False for a key that can verify no signature, such as a point beside its curve: the library refuses to read it. */
async function isUsableKey(credentialPublicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { verifySignature } = await import('@simplewebauthn/server/helpers');
  const signature = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1); // ASN.1 of the numbers 1 and 1
  const verified = await verifySignature({ signature, data: new Uint8Array(), credentialPublicKey }).catch(refused);
  return verified !== undefined;
}

/** The library rejects with an Error for every wrong answer. */
function refused(reason: unknown): undefined {
  if (!(reason instanceof Error))
    throw new Error('the library for passkeys rejected without an Error', { cause: reason });
  return undefined;
}
