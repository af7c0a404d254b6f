// The port to the mails of accounts. Each mail is a row for the commit that makes its link, so that neither exists
// without the other.

import type { JsonObject } from '../../build/contract/json.ts';
import type { Invitation } from './invitations.ts';
import type { UserRecord } from './user.ts';

export interface MailRow {
  readonly key: string;
  readonly value: JsonObject;
}

export interface PeopleMails {
  /** Invites a person, or sends them a link for a new password that an admin made. */
  readonly invitation: (user: UserRecord, invitation: Invitation) => Promise<MailRow>;
  /** For a person who forgot the password. */
  readonly reset: (user: UserRecord, invitation: Invitation) => Promise<MailRow>;
}
