// The commands for users and keys.

import { Option, type Command } from 'commander';

import { roles } from '../../proxy/auth/policy.ts';
import { example, withSettings, type Wire } from './command-parts.ts';

export function addPeople(program: Command, wire: Wire): void {
  addUsers(program, wire);
  addKeys(program, wire);
}

function withJson(command: Command, ...examples: readonly string[]): Command {
  return withSettings(command, 'data', 'state')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example(...examples));
}

function roleOption(purpose: string): Option {
  return new Option('--role <role>', purpose).choices(roles);
}

function addUsers(program: Command, wire: Wire): void {
  const user = program
    .command('user')
    .summary('create, list, change and disable users')
    .description('Create, list, change and disable the people who use the management API.');
  user.showHelpAfterError('Run `libretto user --help` to see the commands.');
  user.addHelpText('after', example('libretto user create --admin --email ada@example.org', 'libretto user list'));
  const create = user
    .command('create')
    .summary('create a user')
    .description('Create a user. Their password is asked for, unseen; with --invite they choose it themselves.')
    .requiredOption('--email <email>', 'what they log in with')
    .option('--name <name>', 'what they are called')
    .addOption(roleOption('what they may do (default: viewer)'))
    .option('--admin', 'the same as --role admin')
    .option('--password-stdin', 'read the password from standard input')
    .option('--invite', 'print an invitation, which works once within seven days');
  wire(
    withJson(
      create,
      'libretto user create --admin --email ada@example.org',
      'libretto user create --email bob@example.org --role maintainer --invite',
    ),
    () => import('../commands/user/create.ts'),
  );
  const list = user
    .command('list')
    .summary('list all users')
    .description('List all users, disabled and invited ones too.');
  wire(withJson(list, 'libretto user list --json'), () => import('../commands/user/list.ts'));
  const update = user
    .command('update')
    .argument('<user>', 'an id or an email')
    .summary('change what a user may do, or let them in again')
    .description('Change a user. What is not named stays as it is.')
    .option('--name <name>', 'what they are called')
    .addOption(roleOption('what they may do'))
    .option('--enable', 'let a disabled user in again')
    .option('--invite', 'print an invitation, with which they choose a new password')
    .option('--reset-two-factor', 'take two-factor authentication off the account, and end its sessions');
  wire(
    withJson(
      update,
      'libretto user update ada@example.org --role maintainer',
      'libretto user update ada@example.org --invite --reset-two-factor',
    ),
    () => import('../commands/user/update.ts'),
  );
  const disable = user
    .command('disable')
    .argument('<user>', 'an id or an email')
    .summary('let a user in no more')
    .description('Let a user in no more. Their sessions end with the next request. Tokens they made go on working.');
  wire(withJson(disable, 'libretto user disable bob@example.org'), () => import('../commands/user/disable.ts'));
}

function addKeys(program: Command, wire: Wire): void {
  const keys = program
    .command('keys')
    .summary('list and rotate the keys of this registry')
    .description('List and rotate the keys that sign sessions and seal credentials.');
  keys.showHelpAfterError('Run `libretto keys --help` to see the commands.');
  keys.addHelpText('after', example('libretto keys list', 'libretto keys rotate'));
  const list = keys
    .command('list')
    .summary('list the keys')
    .description('List the keys, never the keys themselves: what each is for, and how long it is good.');
  wire(withJson(list, 'libretto keys list --json'), () => import('../commands/keys/list.ts'));
  const rotate = keys
    .command('rotate')
    .argument('[purpose]', 'signing or sealing; both where it is left out')
    .summary('make new keys')
    .description(
      'Make new keys. Sessions go on; what is sealed is sealed again under the new key. A running server notices within seconds.',
    )
    .option('--end-sessions', 'end all sessions now: for a signing key that somebody may have seen');
  wire(
    withJson(rotate, 'libretto keys rotate signing --end-sessions', 'libretto keys rotate'),
    () => import('../commands/keys/rotate.ts'),
  );
}
