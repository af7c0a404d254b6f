// Explains an invitation that is printed, on standard error.

import { invitationLink } from '../../../proxy/auth/invitation-link.ts';
import type { Config } from '../../config/config.ts';
import { invitationPage } from '../../config/invitation-page.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import type { Context } from '../../io/context.ts';
import { runningServer } from '../../state/running-server.ts';

export interface PrintedInvitation {
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Repeats the invitation only on a terminal that shows it anyway: a script keeps standard error in its log, and must not
 * find the invitation there.
 */
export async function invitationLines(
  { stdout, stderr, now }: Context,
  config: Config,
  { token, expires_at }: PrintedInvitation,
): Promise<string[]> {
  const heading = `Invitation (shown only once; works once; ends on ${expires_at}).`;
  const page = invitationPage(config);
  if (page === 'explorer')
    return [heading, 'The user sends it with a new password to POST /api/auth/invitations/accept:'];
  const address = publicUrlOf(config)?.url ?? (await runningServer(config, now()))?.address;
  const isShown = stdout.isTTY === true && stderr.isTTY === true;
  const placeholders = [
    ...(address === undefined ? ['HOST stands for the host of the registry.'] : []),
    ...(isShown ? [] : ['CODE stands for the invitation.']),
  ];
  return [
    heading,
    ['The user opens this page and chooses a password there.', ...placeholders].join(' '),
    `  ${address ?? 'https://HOST'}${invitationLink(page, isShown ? token : 'CODE')}`,
  ];
}
