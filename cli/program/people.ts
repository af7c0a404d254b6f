// The commands for users and keys.

import { Option, type Command } from 'commander';

import { roles } from '../../proxy/auth/permissions.ts';
import { addGroup, withJson, withRegistry, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/user/user.ts')) => async () =>
  (await import('../commands/user/user.ts'))[command];

export function addPeople(program: Command, wire: Wire): void {
  addUsers(program, wire);
  addKeys(program, wire);
}

function roleOption(purpose: string): Option {
  return new Option('--role <role>', purpose).choices(roles);
}

function addUsers(program: Command, wire: Wire): void {
  const user = addGroup(program, 'user', {
    summary: 'create, list, change and disable users',
    description: 'Create, list, change and disable users of the management API.',
    examples: ['libretto user create --admin --email ada@example.org', 'libretto user list'],
  });
  for (const add of [addCreate, addUserList, addShow, addUpdate, addDisable]) add(user, wire);
}

function addCreate(user: Command, wire: Wire): void {
  const create = user
    .command('create')
    .summary('create a user')
    .description(
      'Create a user. At a terminal, the command asks for the email, and for the password without showing it. With --invite, the user chooses ' +
        'the password.',
    )
    .option('--email <email>', 'the email address for the login (default: the command asks for it at a terminal)')
    .option('--name <name>', 'the name of the user')
    .addOption(roleOption('the role of the user (default: viewer)'))
    .option('--admin', 'the same as --role admin')
    .option('--password-stdin', 'read the password from standard input')
    .option('--invite', 'print an invitation that works once, within seven days');
  wire(
    withRegistry(
      create,
      'session',
      'libretto user create --admin --email ada@example.org',
      'libretto user create --email bob@example.org --role maintainer --invite',
    ),
    load('create'),
  );
}

function addUserList(user: Command, wire: Wire): void {
  const list = user
    .command('list')
    .summary('list all users')
    .description('List all users, including disabled and invited users.');
  wire(withRegistry(list, 'reads', 'libretto user list --json'), load('list'));
}

function addShow(user: Command, wire: Wire): void {
  const show = user
    .command('show')
    .argument('<user>', 'an id or an email')
    .summary('show one user')
    .description('Show one user, with second factors, identities at identity providers, teams and terminals.');
  wire(withRegistry(show, 'reads', 'libretto user show ada@example.org'), load('show'));
}

function addUpdate(user: Command, wire: Wire): void {
  const update = user
    .command('update')
    .argument('<user>', 'an id or an email')
    .summary('change the role or a right of a user, or enable the user again')
    .description('Change a user. Only the given values change.')
    .option('--name <name>', 'the name of the user')
    .addOption(roleOption('the role of the user'))
    .option('--policy-editor', 'let the user change the policy about versions, beside what the role allows')
    .option('--no-policy-editor', 'take that right away')
    .option('--enable', 'enable a disabled user again')
    .option(
      '--invite',
      'print an invitation to choose a new password; its use ends sessions and terminals, and an account that a sign-in made leaves its identity provider',
    )
    .option(
      '--reset-two-factor',
      'turn off two-factor authentication, remove the passkeys, and end sessions and terminals',
    );
  wire(
    withRegistry(
      update,
      'session',
      'libretto user update ada@example.org --role maintainer',
      'libretto user update ada@example.org --policy-editor',
      'libretto user update ada@example.org --invite --reset-two-factor',
    ),
    load('update'),
  );
}

function addDisable(user: Command, wire: Wire): void {
  const disable = user
    .command('disable')
    .argument('<user>', 'an id or an email')
    .summary('disable a user')
    .description(
      'Disable a user. Their sessions and their tokens of `libretto login` end with the next request. Tokens they created for others keep working.',
    );
  wire(withRegistry(disable, 'session', 'libretto user disable bob@example.org'), load('disable'));
}

function addKeys(program: Command, wire: Wire): void {
  const keys = addGroup(program, 'keys', {
    summary: 'list and rotate the keys of this registry',
    description: 'List and rotate the keys that sign sessions and encrypt credentials.',
    examples: ['libretto keys list', 'libretto keys rotate'],
  });
  const list = keys
    .command('list')
    .summary('list the keys')
    .description('List the purpose and the lifetime of each key, without its secret value.');
  wire(withJson(list, 'libretto keys list --json'), () => import('../commands/keys/list.ts'));
  const rotate = keys
    .command('rotate')
    .argument('[purpose]', 'signing or sealing (default: both)')
    .summary('replace keys with new ones')
    .description(
      'Replace keys with new ones. Sessions stay valid. Stored credentials are encrypted again with the new ' +
        'key. A running server uses the new keys within seconds.',
    )
    .option('--end-sessions', 'end all sessions now, for example after a signing key leaked');
  wire(
    withJson(rotate, 'libretto keys rotate signing --end-sessions', 'libretto keys rotate'),
    () => import('../commands/keys/rotate.ts'),
  );
}
