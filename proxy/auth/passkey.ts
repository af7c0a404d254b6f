// A passkey (WebAuthn) in the record of its user: the public key that proves that the person is there. The private key
// stays in the authenticator, so a copy of the state signs nobody in.

import { hash } from 'node:crypto';
import { z } from 'zod';

import type { Branded } from '../../build/contract/brand.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';

/** `pk_` and 16 base62 characters. */
export type PasskeyId = Branded<string, 'PasskeyId'>;

export interface Passkey {
  readonly id: PasskeyId;
  /** as the authenticator names it, base64url */
  readonly credential_id: string;
  /** COSE, base64url */
  readonly public_key: string;
  /** the authenticator's count of its signatures at the last use; 0: it does not count */
  readonly counter: number;
  /** how browsers reach the authenticator: `internal`, `usb`, … */
  readonly transports: readonly string[];
  /** the host of the console where it was made: browsers use it only there */
  readonly rp_id: string;
  /** as its owner calls it */
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** true: its owner's other devices have it, too */
  readonly backed_up: boolean;
}

const base64url = z.string().regex(/^[\w-]+$/);
const timeText = z.iso.datetime();

export const passkeySchema = z.strictObject({
  id: z.string().regex(/^pk_[0-9A-Za-z]{16}$/),
  // empty: of an earlier version; it can be removed, and signs nobody in
  credential_id: z.string().regex(/^[\w-]*$/),
  public_key: base64url,
  counter: z.number().int().min(0),
  transports: z.array(z.string()),
  rp_id: z.string().min(1),
  name: z.string().min(1),
  created_at: timeText,
  last_used_at: timeText.nullable(),
  backed_up: z.boolean(),
});

export function mintPasskeyId(randomBytes: RandomBytes): PasskeyId {
  return `pk_${randomBase62(16, randomBytes)}` as PasskeyId;
}

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
export interface PasskeyView {
  readonly id: string;
  readonly name: string;
  /** the host of the console where it works */
  readonly host: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly backed_up: boolean;
}

export function showPasskey({ id, name, rp_id, created_at, last_used_at, backed_up }: Passkey): PasskeyView {
  return { id, name, host: rp_id, created_at, last_used_at, backed_up };
}
