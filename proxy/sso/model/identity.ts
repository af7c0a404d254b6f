// A person as an identity provider proved them to be: read from verified claims, with the role that they give.

import type { Role } from '../../core/tokens/person.ts';

export interface ProviderIdentity {
  readonly issuer: string;
  /** the claim `sub` */
  readonly subject: string;
  /** an address, as the provider spells it; undefined: it names none */
  readonly email: string | undefined;
  /** true only if the provider says that it checked the e-mail address */
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
  readonly role: Role;
  /** the claim `sid`: the session at the provider, which a logout there names */
  readonly session: string | undefined;
  /** when the person entered their password there (claim `auth_time`), epoch milliseconds */
  readonly authenticatedMs: number | undefined;
}
