// What a browser is asked: the options of navigator.credentials, as JSON.

import type { JsonObject } from '../../build/contract/json.ts';
import type { Passkey } from '../auth/passkey.ts';
import type { UserRecord } from '../auth/user.ts';
import { challengeMs, type IssuedChallenge } from './challenges.ts';
import type { PasskeySite } from './site.ts';

/** A question for the browser. Its answer comes back with the token. */
export interface PasskeyPrompt {
  readonly token: string;
  readonly options: JsonObject;
}

/** ES256, EdDSA, RS256. */
const algorithms = [-7, -8, -257];

/** Asks for a new passkey. It stays in the authenticator with the person's name, so that they need not type it. */
export function newPasskeyOptions(
  { token, challenge }: IssuedChallenge,
  { id, email, name, passkeys = [] }: UserRecord,
  { rpId }: PasskeySite,
): PasskeyPrompt {
  return {
    token,
    options: {
      challenge,
      rp: { id: rpId, name: 'Libretto' },
      user: { id: userHandleOf(id), name: email, displayName: name ?? email },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeMs,
      attestation: 'none',
      excludeCredentials: descriptors(passkeys, rpId),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    },
  };
}

/** Asks for one of these passkeys. Without any, the browser offers those that it has for this site. */
export function passkeyOptions(
  { token, challenge }: IssuedChallenge,
  passkeys: readonly Passkey[],
  { rpId }: PasskeySite,
): PasskeyPrompt {
  return {
    token,
    options: {
      challenge,
      rpId,
      timeout: challengeMs,
      userVerification: 'required',
      allowCredentials: descriptors(passkeys, rpId),
    },
  };
}

/** How authenticators name the person: the id, which is no secret and stays when the email changes. */
export function userHandleOf(id: string): string {
  return Buffer.from(id).toString('base64url');
}

function descriptors(passkeys: readonly Passkey[], rpId: string): JsonObject[] {
  return passkeys
    .filter(({ rp_id }) => rp_id === rpId)
    .map(({ credential_id, transports }) => ({ type: 'public-key', id: credential_id, transports: [...transports] }));
}
