// `libretto user`: the commands about users. An invitation is the only line on standard output, for scripts.

import { RegistryError } from '../../../build/contract/errors.ts';
import { parseEmail, type Email } from '../../../proxy/auth/email.ts';
import { checkedEmail } from '../../../proxy/auth/user-fields.ts';
import type { Role } from '../../../proxy/core/tokens/person.ts';
import {
  createUser,
  createUserWithPassword,
  getUser,
  listUsers,
  updateUser,
  type UserServices,
} from '../../../proxy/people/operations.ts';
import type { UserDetails, ChangedUserDocument } from '../../../proxy/people/user-schema.ts';
import { composeKeys } from '../../compose/keys.ts';
import { composeMailing } from '../../compose/mailing.ts';
import { composePeople } from '../../compose/people.ts';
import { composeSettings, peopleRules } from '../../compose/settings.ts';
import { invitationPage } from '../../config/console-links.ts';
import { printLines } from '../../io/output.ts';
import { readPassword } from '../../io/password-input.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeDetails, describeUsers, describeUser } from '../../text/user-text.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';
import type { Context } from '../../io/context.ts';
import { openQuestions, QuestionsCancelled } from '../../io/questions.ts';
import { invitationLink } from '../../../proxy/auth/invitation-link.ts';
import { notNamed } from '../../../proxy/auth/local-sign-in.ts';
import { localSignInRule } from '../../compose/local-sign-in.ts';
import type { Config } from '../../config/config.ts';
import { runningServer } from '../../state/running-server.ts';
import { addressForClients } from '../token/address-for-clients.ts';

type Invitation = NonNullable<ChangedUserDocument['invitation']>;

const leavesProvider =
  'When the link is used, the account leaves its identity provider: its person signs in here with the password.';

/** Warns if a password would open nothing. `hasPassword`: the user has one, or gets one with the invitation. */
async function reportChange(
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

/** Asks again until the answer is an email. Throws UsageError without a terminal, and if the person gives none. */
async function askForEmail(context: Context): Promise<Email> {
  const { stdin, stderr } = context;
  if (stdin.isTTY !== true)
    throw new UsageError('There is no terminal to ask for the email. Name it with --email, such as ada@example.org.');
  const questions = openQuestions(context);
  try {
    for (;;) {
      const typed = await questions.ask('Email: ');
      const fault = emailFault(typed);
      if (fault === undefined) return checkedEmail(typed);
      printLines(stderr, [`  ${fault}`]);
    }
  } catch (error) {
    if (!(error instanceof QuestionsCancelled)) throw error;
    throw new UsageError('No email was given. Nothing was changed.', { cause: error });
  } finally {
    await questions.close();
  }
}

function emailFault(text: string): string | undefined {
  try {
    checkedEmail(text);
    return undefined;
  } catch (error) {
    if (error instanceof RegistryError) return error.message;
    throw error;
  }
}

type UserCommand = OperationCommand<UserServices>;

const noun = (sendsMails: boolean): Noun<UserServices> => ({
  name: 'user',
  sentence: (field, fault) => `The ${field} ${fault}.`,
  compose: ({ config, state }, context) => {
    const keys = composeKeys(config, context);
    const mailing = sendsMails ? composeMailing(config, context, { state, sealer: keys.sealer }) : undefined;
    const people = composePeople(context, state, keys, {
      rules: peopleRules(composeSettings(config, context, state)),
      mails: mailing?.accountMails,
    });
    return { services: { people, state, invitationPage: invitationPage(config) } };
  },
});

export const list = operationCommand(noun(false), async ({ all, json, context, print }) => {
  const users = await all(listUsers);
  if (users.length === 0 && !json)
    printLines(context.remarks, [
      'There is no user yet. Create one with `libretto user create --admin --email EMAIL`.',
    ]);
  else print({ users }, () => describeUsers(users));
});

export const show = operationCommand(noun(false), async (command) =>
  command.print(await named(command), describeDetails),
);

interface CreateFlags {
  readonly email?: string;
  readonly name?: string;
  readonly role?: Role;
  readonly admin?: true;
  readonly invite?: true;
  readonly passwordStdin?: true;
}

/** With a password that is typed or piped in, or with an invitation. */
export const create = operationCommand(
  noun(true),
  async (command) => {
    const { context, call } = command;
    const { email: given, name = null, role, admin, invite, passwordStdin } = createFlags(command);
    // first: a typed password for an unusable email would be in vain
    const email = given === undefined ? await askForEmail(context) : checkedEmail(given);
    const draft = { email, role: admin ? ('admin' as const) : (role ?? 'viewer'), name };
    const user = invite
      ? await call(createUser, draft)
      : await call(createUserWithPassword, { ...draft, password: await readPassword(context, passwordStdin === true) });
    await reportChange(command, user, { identities: [], hasPassword: true });
  },
  { makes: true },
);

function createFlags({ flags, config }: UserCommand): CreateFlags {
  const given: CreateFlags = flags;
  const { role, admin, invite, passwordStdin } = given;
  if (invite && passwordStdin)
    throw new UsageError(
      'With --invite the user chooses the password; with --password-stdin you choose it. Use one of them.',
    );
  if (admin && role !== undefined && role !== 'admin')
    throw new UsageError(`--admin and --role ${role} contradict each other. Use one of them.`);
  if (!invite && config === undefined)
    throw new UsageError('In a remote registry, the user chooses the password: add --invite.');
  return given;
}

/** Other values are unchanged. */
export const update = operationCommand(
  noun(true),
  async (command) => {
    const { name, role, policyEditor, enable, invite, resetTwoFactor } = command.flags as {
      readonly name?: string;
      readonly role?: Role;
      readonly policyEditor?: boolean;
      readonly enable?: true;
      readonly invite?: true;
      readonly resetTwoFactor?: true;
    };
    const patch = {
      name,
      role,
      policy_editor: policyEditor,
      status: enable && ('active' as const),
      invite,
      reset_two_factor: resetTwoFactor,
    };
    if (Object.values(patch).every((value) => value === undefined))
      throw new UsageError(
        'Nothing to change was given: --name, --role, --policy-editor, --no-policy-editor, --enable, --invite or ' +
          '--reset-two-factor.',
      );
    const { id, identities } = await named(command);
    await reportChange(command, await command.call(updateUser, { id, ...patch }), { identities });
  },
  { changes: true },
);

/** Ends the sessions of a user at once. */
export const disable = operationCommand(
  noun(true),
  async (command) => {
    const { id, identities } = await named(command);
    await reportChange(command, await command.call(updateUser, { id, status: 'disabled' }), { identities });
  },
  { changes: true },
);

/** The user that the first operand names, by id or email. Throws NOT_FOUND. */
async function named({ call, all, operands: [text = ''] }: UserCommand): Promise<UserDetails> {
  const email = parseEmail(text);
  const found = email === undefined ? { id: text } : (await all(listUsers)).find((user) => user.email === email);
  try {
    if (found !== undefined) return await call(getUser, { id: found.id });
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_FOUND') throw error;
  }
  throw new RegistryError('NOT_FOUND', { message: `There is no user ${JSON.stringify(text.slice(0, 80))}.` });
}
