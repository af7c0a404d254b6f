// The link from an account at an identity provider to a user. The key is the pair of issuer and subject: an e-mail
// address can be given to another person later, and names are not unique.

import { hash } from 'node:crypto';
import { z } from 'zod';
import type { RowOf } from '../state/rows.ts';

export const identityRecord = z.strictObject({
  /** the address of the provider, exactly as its claim `iss` has it */
  issuer: z.string().min(1),
  /** the claim `sub`: unique within the issuer, and never given to another person */
  subject: z.string().min(1),
  linked_at: z.iso.datetime(),
  last_login_at: z.iso.datetime().nullable(),
});
export type UserIdentity = RowOf<typeof identityRecord>;

/** Leads from an account at a provider to the id of its user. */
export function userIdentityKey({ issuer, subject }: Pick<UserIdentity, 'issuer' | 'subject'>): string {
  return `user-identity/${hash('sha256', JSON.stringify([issuer, subject]), 'hex')}`;
}

/** The rows of identities that a change of the user ends. `after`: undefined if the user is removed. */
export function endedIdentityKeys(
  before: readonly UserIdentity[] = [],
  after: readonly UserIdentity[] = [],
): readonly string[] {
  const left = new Set(after.map(userIdentityKey));
  return before.map(userIdentityKey).filter((key) => !left.has(key));
}
