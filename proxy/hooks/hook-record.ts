// The row with the secrets of a webhook. A hook has an owner: a repository with an address of its own, or one of those
// who send to the address for all repositories. Secrets are stored sealed, and shown once.

import { z } from 'zod';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { Sealer } from '../keys/sealer.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import type { RepositoryId } from '../sync/repository.ts';
import { repositoryHookKey } from '../sync/repository-rows.ts';
import type { HookAddress } from './inbox.ts';

/**
 * `registry`: an owner of a secret for `POST /hooks`. Its name is `shared` for the hook that people make, or the id of
 * a connection to a forge. Each has a secret of its own, so that one can be withdrawn without the others.
 */
export type HookOwner =
  | { readonly of: 'repository'; readonly id: RepositoryId }
  | { readonly of: 'registry'; readonly name: string };

/** The owner of the hook for all repositories that people make. */
export const sharedHook = { of: 'registry', name: 'shared' } as const satisfies HookOwner;

export const storedSecret = z.object({
  /** `whs_` and 16 base62 characters */
  id: z.string(),
  /** sealed for the key of the row */
  sealed: z.string(),
  /** RFC 3339 UTC, as all times here */
  created_at: z.string(),
  /** null: valid until it is replaced */
  ends_at: z.string().nullable(),
});
export type StoredSecret = RowOf<typeof storedSecret>;

const hookRecord = z.object({
  /** newest first: the current one, and perhaps the one before it */
  secrets: z.array(storedSecret),
  created_at: z.string(),
  created_by: z.string(),
});
export type HookRecord = RowOf<typeof hookRecord>;

export const hookPrefix = 'hook/';
export const registryHookPrefix = `${hookPrefix}registry/`;

/** Throws Error for a name that is none: names come from this program, never from a request. */
export function hookKey(owner: HookOwner): string {
  if (owner.of === 'repository') return repositoryHookKey(owner.id);
  if (!/^[0-9A-Za-z_-]{1,60}$/.test(owner.name)) throw new Error(`${owner.name} cannot own a hook`);
  return `${registryHookPrefix}${owner.name}`;
}

/** The path below the address of the registry. */
export function hookPath(address: HookAddress): string {
  return address.of === 'repository' ? `/hooks/${address.id}` : '/hooks';
}

/** A new secret, in the form of Standard Webhooks: `whsec_` and base64 of 32 bytes. */
export function mintSecret(
  { sealer, randomBytes }: { readonly sealer: Sealer; readonly randomBytes: RandomBytes },
  key: string,
  nowMs: number,
): { readonly secret: Secret; readonly stored: StoredSecret } {
  const secret = new Secret(`whsec_${Buffer.from(randomBytes(32)).toString('base64')}`);
  const stored = {
    id: `whs_${randomBase62(16, randomBytes)}`,
    sealed: sealer.seal(secret, key),
    created_at: new Date(nowMs).toISOString(),
    ends_at: null,
  };
  return { secret, stored };
}

export function isValidAt({ ends_at: endsAt }: StoredSecret, nowMs: number): boolean {
  return endsAt === null || nowMs < Date.parse(endsAt);
}

/** Throws StateError for a value that is no row of a hook. */
export const parseHookRecord = rowParser(hookRecord, 'The record of a webhook');
