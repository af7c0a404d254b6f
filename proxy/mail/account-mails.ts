// The mails of accounts: an invitation, and a link for a new password. Each is a row for the commit that makes the
// link.

import type { Invitation } from '../auth/invitations.ts';
import { invitationLink, type InvitationPage } from '../auth/invitation-link.ts';
import type { PeopleMails } from '../auth/people-mails.ts';
import type { UserRecord } from '../auth/user.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { composeMail } from './mail-content.ts';
import { mailRow, registryName, type MailParts } from './mail.ts';

export interface AccountMailsOptions extends MailParts {
  readonly state: Pick<StateStore, 'range'>;
  readonly page: InvitationPage;
}

export function createAccountMails(options: AccountMailsOptions): PeopleMails {
  const { address, page, state } = options;
  const linkOf = ({ code }: Invitation): string => `${address}${invitationLink(page, code.reveal())}`;
  const greeting = ({ name }: UserRecord): string => (name === null ? 'Hello,' : `Hello ${name},`);
  return {
    invitation: async (user, invitation) => {
      const registry = await registryName(state, address);
      const isNew = user.password === null;
      const words = {
        subject: isNew ? `Your account at ${registry}` : `A new password for ${registry}`,
        paragraphs: [
          greeting(user),
          isNew
            ? `you have an account at the package registry ${registry}. Choose a password to sign in.`
            : `an admin of the package registry ${registry} sent you a link with which you choose a new password.`,
          `The link works once, until ${dayOf(invitation.expires_at)}.`,
        ],
        button: { label: 'Choose a password', url: linkOf(invitation) },
        footer: [`You get this mail because an admin of ${registry} sent it to ${user.email}.`],
      };
      const endsMs = Date.parse(invitation.expires_at);
      return mailRow(options, { to: user.email, kind: 'invitation', content: composeMail(words, registry), endsMs });
    },
    reset: async (user, invitation) => {
      const registry = await registryName(state, address);
      const words = {
        subject: `A new password for ${registry}`,
        paragraphs: [
          greeting(user),
          `somebody asked for a new password for your account at ${registry}. The link works once, for one hour.`,
          'If it was not you, ignore this mail: your password stays as it is.',
        ],
        button: { label: 'Choose a new password', url: linkOf(invitation) },
        footer: [`You get this mail because somebody entered ${user.email} at ${address}.`],
      };
      const endsMs = Date.parse(invitation.expires_at);
      return mailRow(options, { to: user.email, kind: 'reset', content: composeMail(words, registry), endsMs });
    },
  };
}

function dayOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
