// Prints a changed user. An invitation is the only line on standard output, for scripts.

import { invitationLink } from '../../../proxy/auth/invitation-link.ts';
import { notNamed } from '../../../proxy/auth/local-sign-in.ts';
import type { UserServices } from '../../../proxy/people/operations.ts';
import type { ChangedUserDocument, UserDetails } from '../../../proxy/people/user-schema.ts';
import { localSignInRule } from '../../compose/local-sign-in.ts';
import type { Config } from '../../config/config.ts';
import { invitationPage } from '../../config/console-links.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { runningServer } from '../../state/running-server.ts';
import { describeUser } from '../../text/user-text.ts';
import { addressForClients } from '../token/address-for-clients.ts';
import type { OperationCommand } from '../operation-command.ts';

type Invitation = NonNullable<ChangedUserDocument['invitation']>;

const leavesProvider =
  'When the link is used, the account leaves its identity provider: its person signs in here with the password.';

/** Warns if a password would open nothing. `hasPassword`: the user has one, or gets one with the invitation. */
export async function reportChange(
  { context, config, report, json }: OperationCommand<UserServices>,
  user: ChangedUserDocument,
  {
    identities,
    hasPassword = user.invitation !== undefined,
  }: Pick<UserDetails, 'identities'> & { hasPassword?: boolean },
): Promise<void> {
  const { stdout, stderr, remarks } = context;
  const { invitation } = user;
  const rule = config === undefined ? undefined : localSignInRule(config);
  const inVain = hasPassword ? notNamed(rule, { ...user, identities }) : undefined;
  if (inVain !== undefined) printLines(stderr, [`Warning: ${inVain}`]);
  if (invitation === undefined || json) report(user, describeUser);
  else {
    printLines(remarks, [
      ...describeUser(user),
      '',
      ...(inVain === undefined && config !== undefined ? await invitationLines(context, config, invitation) : []),
      ...(invitation.leaves_provider ? [leavesProvider] : []),
      ...(invitation.mailed ? ['', `A server that runs sends the link to ${user.email} too.`] : []),
    ]);
    printLines(stdout, [invitation.token]);
  }
  await stdout.delivered(
    invitation &&
      `The invitation of ${user.email} was created, but it could not be printed. Create another with ` +
        `\`libretto user update ${user.id} --invite\`.`,
  );
}

/**
 * Repeats the invitation only on a terminal that shows it anyway: a script keeps standard error in its log, and must
 * not find the invitation there.
 */
async function invitationLines(
  { stdout, stderr, now, networkAddresses }: Context,
  config: Config,
  { token, expires_at }: Invitation,
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
