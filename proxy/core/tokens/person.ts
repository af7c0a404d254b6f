// The person of a personal token, and the port that says whether the person's tokens are valid now. A server without
// people has no such port: it refuses personal tokens.

import type { Branded } from '../../../build/contract/brand.ts';
import { idsOf } from '../../../build/shared/text/base62.ts';

/** `usr_` and 16 base62 characters. */
export type UserId = Branded<string, 'UserId'>;

export type Role = 'admin' | 'maintainer' | 'viewer';

/** What an admin gives to a person beside the role. `policy editor`: changes the policy about versions. */
export type PersonRight = 'policy editor';

/** The person of a token, as the state has them now. */
export interface TokenPerson {
  readonly id: UserId;
  readonly email: string;
  readonly role: Role;
  readonly rights?: readonly PersonRight[];
}

export interface PersonStatus {
  readonly person: TokenPerson;
  /** patterns of the names of the packages that the person sees; an empty list: none; null: all */
  readonly packages: readonly string[] | null;
}

/** undefined: the person is removed or disabled, or has no way left to sign in; their tokens are invalid. */
export type ReadPersonStatus = (id: UserId) => Promise<PersonStatus | undefined>;

export const { mint: mintUserId, is: isUserId, parse: parseUserId } = idsOf<UserId>('usr');
