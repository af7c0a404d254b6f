// A passkey (WebAuthn) in the record of its user: the public key that proves that the person is there. The private key
// stays in the authenticator, so a copy of the state signs nobody in.

import { hash } from 'node:crypto';
import { z } from 'zod';

import type { Branded } from '../../build/contract/brand.ts';
import { idsOf } from '../../build/shared/text/base62.ts';
import type { RowOf } from '../state/rows.ts';

/** `pk_` and 16 base62 characters. */
export type PasskeyId = Branded<string, 'PasskeyId'>;

export const { mint: mintPasskeyId, is: isPasskeyId } = idsOf<PasskeyId>('pk');

const timeText = z.iso.datetime();

export const passkeySchema = z.strictObject({
  id: z.custom<PasskeyId>(isPasskeyId),
  /** as the authenticator names it, base64url; empty: of an earlier version, it can be removed and signs nobody in */
  credential_id: z.string().regex(/^[\w-]*$/),
  /** COSE, base64url */
  public_key: z.string().regex(/^[\w-]+$/),
  /** the authenticator's count of its signatures at the last use; 0: it does not count */
  counter: z.number().int().min(0),
  /** how browsers reach the authenticator: `internal`, `usb`, … */
  transports: z.array(z.string()),
  /** the host of the console where it was made: browsers use it only there */
  rp_id: z.string().min(1),
  /** as its owner calls it */
  name: z.string().min(1),
  created_at: timeText,
  last_used_at: timeText.nullable(),
  /** true: its owner's other devices have it, too */
  backed_up: z.boolean(),
});
export type Passkey = RowOf<typeof passkeySchema>;

export const passkeyKeyPrefix = 'passkey/';

/** Leads from a credential to the id of its user. */
export function passkeyKey(credentialId: string): string {
  return `${passkeyKeyPrefix}${hash('sha256', credentialId, 'hex')}`;
}

/** The rows that lead to a user, after a change of the user: those to add, and the keys of those to delete. */
export function changedPasskeyRows(
  before: readonly Passkey[],
  after: readonly Passkey[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const [had, has] = [before, after].map((passkeys) => passkeys.map(({ credential_id }) => passkeyKey(credential_id)));
  return {
    added: (has ?? []).filter((key) => had?.includes(key) !== true),
    removed: (had ?? []).filter((key) => has?.includes(key) !== true),
  };
}

/** What people see of a passkey. */
export type PasskeyView = ReturnType<typeof showPasskey>;

export function showPasskey({ id, name, rp_id, created_at, last_used_at, backed_up }: Passkey) {
  return { id, name, host: rp_id, created_at, last_used_at, backed_up };
}
