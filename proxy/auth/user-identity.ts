// The link from an account at an identity provider to a user. The key is the pair of issuer and subject: an e-mail
// address can be given to another person later, and names are not unique.

import { hash } from 'node:crypto';
import { z } from 'zod';

export interface UserIdentity {
  /** the address of the provider, exactly as its claim `iss` has it */
  readonly issuer: string;
  /** the claim `sub`: unique within the issuer, and never given to another person */
  readonly subject: string;
  readonly linked_at: string;
  readonly last_login_at: string | null;
}

export const identityRecord = z.strictObject({
  issuer: z.string().min(1),
  subject: z.string().min(1),
  linked_at: z.iso.datetime(),
  last_login_at: z.iso.datetime().nullable(),
});

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
