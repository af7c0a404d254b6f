// Explains an invitation that is printed, on standard error.

import { invitationLink } from '../../../proxy/auth/invitation-link.ts';
import type { Config } from '../../config/config.ts';
import { invitationPage } from '../../config/invitation-page.ts';
import type { Context } from '../../io/context.ts';
import { runningServer } from '../../state/running-server.ts';
import { addressForClients } from '../token/address-for-clients.ts';

export interface PrintedInvitation {
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Repeats the invitation only on a terminal that shows it anyway: a script keeps standard error in its log, and must not
 * find the invitation there.
 */
export async function invitationLines(
  { stdout, stderr, now, networkAddresses }: Context,
  config: Config,
  { token, expires_at }: PrintedInvitation,
): Promise<string[]> {
  const heading = `Invitation (shown only once; works once; ends on ${expires_at}).`;
  const page = invitationPage(config);
  if (page === 'explorer')
    return [heading, 'The user sends it with a new password to POST /api/auth/invitations/accept:'];
  const { url, remark } = addressForClients(config, networkAddresses(), await runningServer(config, now()));
  const isShown = stdout.isTTY === true && stderr.isTTY === true;
  return [
    heading,
    'The user opens this page and chooses a password there:',
    `  ${url}${invitationLink(page, isShown ? token : 'CODE')}`,
    ...(isShown
      ? []
      : ['CODE stands for the invitation, which standard output has. At a terminal, the link contains it.']),
    ...(remark === undefined ? [] : [remark]),
  ];
}
