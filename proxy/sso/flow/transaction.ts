// A sign-in on its way: what the browser keeps while its person is at the provider. The text is sealed, so that the
// browser neither reads nor changes it, and it ends after ten minutes.

import { z } from 'zod';
import { Secret } from '../../../build/shared/text/secret.ts';
import { UnreadableSecret, type Sealer } from '../../keys/sealer.ts';
import { leewayMs } from '../../keys/signed-token.ts';
import type { OnceKind } from '../../state/used-once.ts';

export interface Transaction {
  /** the id of the provider */
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  /** of PKCE */
  readonly verifier: string;
  readonly redirectUri: string;
  /** the page of the console to go to afterwards */
  readonly next: string;
  readonly expiresMs: number;
  /** the session whose person confirms something by signing in again; absent: a sign-in */
  readonly confirms?: { readonly userId: string; readonly sessionId: string } | undefined;
}

export const transactionSeconds = 600;

/** What came from a provider and counts once: answers to sign-ins, by their state, and logout tokens. */
export const usedAtProviders: OnceKind = {
  prefix: 'sso-state/',
  row: 'A used sign-in at an identity provider',
  leewayMs,
};

/** A sealed text of another kind does not open. */
const about = 'sso-transaction';

const record = z.strictObject({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
  expiresMs: z.number(),
  confirms: z.strictObject({ userId: z.string(), sessionId: z.string() }).optional(),
});

export function sealTransaction(sealer: Sealer, transaction: Transaction): Secret {
  return new Secret(sealer.seal(new Secret(JSON.stringify(transaction)), about));
}

/** undefined: not a transaction of this registry. */
export function openTransaction(sealer: Sealer, text: string): Transaction | undefined {
  try {
    return record.parse(JSON.parse(sealer.unseal(text, about).reveal()));
  } catch (error) {
    if (error instanceof UnreadableSecret) return undefined;
    throw error;
  }
}
