// The frame of each user command: reads the configuration, opens state and keys, and prints the result.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isMadeByProvider, showUser, type UserRecord, type UserView } from '../../../proxy/auth/user.ts';
import type { ChangedUser, Users } from '../../../proxy/auth/users.ts';
import { notNamed } from '../../../proxy/auth/local-sign-in.ts';
import { localSignInRule } from '../../compose/local-sign-in.ts';
import { invitationLink } from '../../../proxy/auth/invitation-link.ts';
import type { Config } from '../../config/config.ts';
import { invitationPage } from '../../config/console-links.ts';
import type { CommandInput } from '../../io/command.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeMailing } from '../../compose/mailing.ts';
import { composePeople } from '../../compose/people.ts';
import { composeSettings, peopleRules } from '../../compose/settings.ts';
import type { Context } from '../../io/context.ts';
import { formatFields, printJson, printLines, revealSecret } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { runningServer } from '../../state/running-server.ts';
import { addressForClients } from '../token/address-for-clients.ts';

const leavesProvider =
  'When the link is used, the account leaves its identity provider: its person signs in here with the password.';

export interface UserCommand {
  readonly context: Context;
  readonly flags: CommandInput['flags'];
  readonly config: Config;
  /** true: an invitation goes to its person by mail */
  readonly sendsMail: boolean;
  readonly users: Users;
  readonly state: StateStore;
  /** the user that the first operand names */
  readonly find: () => Promise<UserRecord>;
  readonly json: boolean;
}

/**
 * Runs `work` and resolves with exit code 0; refusals are thrown as UsageError. `opening`: as of
 * openCommandState.
 */
export async function runUserCommand(
  context: Context,
  { flags, operands }: CommandInput,
  work: (command: UserCommand) => Promise<void>,
  opening: Opening = {},
): Promise<number> {
  const { config, state: store } = await openCommandState(context, flags, opening);
  try {
    const keys = composeKeys(config, context);
    const mayInvite = opening.makes === true || opening.changes === true;
    const mailing = mayInvite ? composeMailing(config, context, { state: store, sealer: keys.sealer }) : undefined;
    const users = composePeople(context, store, keys, {
      rules: peopleRules(composeSettings(config, context, store)),
      mails: mailing?.accountMails,
    }).usersOf(context.actor);
    await work({
      context,
      flags,
      config,
      sendsMail: mailing !== undefined,
      users,
      state: store,
      json: flags['json'] === true,
      find: () => findUser(users, operands[0] ?? ''),
    });
  } catch (error) {
    if (error instanceof RegistryError && error.status < 500) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    await store.close();
  }
  return 0;
}

function findUser(users: Users, text: string): Promise<UserRecord> {
  return users.get(text).catch((error: unknown) => {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
    throw new UsageError(
      `There is no user ${JSON.stringify(text.slice(0, 80))}. \`libretto user list\` shows all of them.`,
      { cause: error },
    );
  });
}

/**
 * Prints the changed user, and warns if a password would open nothing. `hasPassword`: the user has one, or gets one
 * with the invitation. An invitation is the only line on standard output, for scripts.
 */
export async function showChange(
  { context, config, json, sendsMail }: UserCommand,
  { record, invitation }: ChangedUser,
  hasPassword = invitation !== undefined,
): Promise<void> {
  const { stdout, stderr, summary, remarks } = context;
  const inVain = hasPassword ? notNamed(localSignInRule(config), record) : undefined;
  if (inVain !== undefined) printLines(stderr, [`Warning: ${inVain}`]);
  const user = showUser(record);
  const shown =
    invitation === undefined
      ? undefined
      : {
          token: revealSecret(invitation.code),
          link: invitationLink(invitationPage(config), revealSecret(invitation.code)),
          expires_at: invitation.expires_at,
        };
  if (json) printJson(stdout, shown === undefined ? user : { ...user, invitation: shown });
  else if (shown === undefined) printLines(summary, describeUser(user));
  else {
    const mailed = sendsMail ? ['', `A server that runs sends the link to ${user.email} too.`] : [];
    printLines(remarks, [
      ...describeUser(user),
      '',
      ...(inVain === undefined ? await invitationLines(context, config, shown) : []),
      ...(isMadeByProvider(record) ? [leavesProvider] : []),
      ...mailed,
    ]);
    printLines(stdout, [shown.token]);
  }
  await stdout.delivered(
    shown === undefined
      ? undefined
      : `The invitation of ${user.email} was created, but it could not be printed. Create another with ` +
          `\`libretto user update ${user.id} --invite\`.`,
  );
}

export function describeUser(user: UserView): string[] {
  return formatFields([
    ['id', user.id],
    ['email', user.email],
    ...(user.name === null ? [] : [['name', user.name] as const]),
    ['role', user.role],
    ...(user.policy_editor ? [['rights', 'changes the policy'] as const] : []),
    ['status', user.status],
    ['two-factor', user.two_factor_enabled ? 'on' : 'off'],
    ...(user.passkeys === 0 ? [] : [['passkeys', String(user.passkeys)] as const]),
    ['last login', user.last_login_at ?? 'never'],
  ]);
}

// Explains an invitation that is printed, on standard error.

interface PrintedInvitation {
  readonly token: string;
  readonly expires_at: string;
}

/**
 * Repeats the invitation only on a terminal that shows it anyway: a script keeps standard error in its log, and must
 * not find the invitation there.
 */
async function invitationLines(
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
