// The commands about connections to forges, and their flags.

import { Option, type Command } from 'commander';

import { addGroup, withRegistry, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/connection/connection.ts')) => async () =>
  (await import('../commands/connection/connection.ts'))[command];

export function addConnections(program: Command, wire: Wire): void {
  const connection = addGroup(program, 'connection', {
    summary: 'register all repositories of an organisation, group or user',
    description: 'Register all repositories of an organisation, group or user at a forge, and follow its changes.',
    examples: [
      'libretto connection add github --owner acme --token-file token.txt',
      'libretto connection refresh conn_4fHj2kLm9QwErTy0',
    ],
  });
  for (const add of [addAdd, addList, addShow, addRefresh, addUpdate, addRemove]) add(connection, wire);
}

function addAdd(connection: Command, wire: Wire): void {
  const add = connection
    .command('add')
    .argument('<forge>', 'github, gitlab, gitea (also Forgejo) or bitbucket (Bitbucket Cloud)')
    .summary('register all repositories of an organisation, group or user')
    .description(
      'Register the repositories of an organisation, group, workspace or user that have a composer.json with a name. ' +
        'The server then looks for new, renamed, archived and removed ones.',
    )
    .requiredOption('--owner <name>', 'the organisation, group (with its parents), workspace or user')
    .option('--forge-url <url>', 'the address of your own GitHub Enterprise, GitLab, Gitea or Forgejo')
    .option('--dry-run', 'show what would be registered, without a change');
  wire(
    withRegistry(
      withFields(add),
      'session',
      'libretto connection add github --owner acme --token-stdin --dry-run < token.txt',
      'libretto connection add gitlab --forge-url https://git.example.org --owner acme/php --token-file token.txt --only "php-*"',
    ),
    load('add'),
  );
}

function withFields(command: Command): Command {
  return command
    .option('--token-stdin', 'read the token from the first line of standard input')
    .option('--token-file <file>', 'a file whose first line is the token')
    .option('--user <name>', 'for an API token of Bitbucket: the e-mail address of its user')
    .option('--app <id>', 'for GitHub: the id of a GitHub App, with --key-file')
    .option('--key-file <file>', 'the private key of the GitHub App (.pem); - for standard input')
    .option('--only <pattern...>', 'only repositories with these names below the owner (* matches any characters)')
    .option('--except <pattern...>', 'not these repositories')
    .option('--subdirectory <pattern...>', 'folders that are packages, in the repositories that have them: packages/*')
    .option('--forks', 'forks too')
    .option('--hooks', 'install webhooks at the forge')
    .option('--interval <span>', 'look for changes every 15m, 1h, 1d, … (default: 1h)')
    .option('--sync-interval <span>', 'sync each new repository automatically every 1h, 12h, … (default: 12h)');
}

function addList(connection: Command, wire: Wire): void {
  const list = connection
    .command('list')
    .summary('list all connections')
    .description('List all connections with their status.');
  wire(withRegistry(list, 'reads', 'libretto connection list --json'), load('list'));
}

function addShow(connection: Command, wire: Wire): void {
  const show = connection
    .command('show')
    .argument('<id>', 'the id of the connection')
    .summary('show one connection with its repositories')
    .description('Show one connection, and each repository of its owner: registered, archived, removed, or why not.');
  wire(withRegistry(show, 'reads', 'libretto connection show conn_4fHj2kLm9QwErTy0'), load('show'));
}

function addRefresh(connection: Command, wire: Wire): void {
  const refresh = connection
    .command('refresh')
    .argument('<id>', 'the id of the connection')
    .summary('look for new and changed repositories now')
    .description('Look for new, renamed, archived and removed repositories now. A server does this by its interval.')
    .option('--dry-run', 'show what would change, without a change');
  wire(withRegistry(refresh, 'changes', 'libretto connection refresh conn_4fHj2kLm9QwErTy0'), load('refresh'));
}

function addUpdate(connection: Command, wire: Wire): void {
  const update = withFields(
    connection
      .command('update')
      .argument('<id>', 'the id of the connection')
      .summary('change a connection')
      .description(
        'Change the credentials, the filters, the folders or the intervals of a connection. Only the given values ' +
          'change; forge and owner cannot be changed. The next refresh begins at once.',
      ),
  )
    .addOption(new Option('--no-subdirectory', 'read no repository as a monorepo any more'))
    .addOption(new Option('--no-forks', 'leave forks out; registered ones stay'))
    .addOption(new Option('--no-hooks', 'install no more webhooks; installed ones stay'));
  wire(
    withRegistry(update, 'session', 'libretto connection update conn_4fHj2kLm9QwErTy0 --token-stdin < token.txt'),
    load('update'),
  );
}

function addRemove(connection: Command, wire: Wire): void {
  const remove = connection
    .command('remove')
    .argument('<id>', 'the id of the connection')
    .summary('remove a connection; its repositories stay')
    .description('Remove a connection with its credentials. Its repositories stay registered and published.')
    .option('--yes', 'remove the connection');
  wire(withRegistry(remove, 'session', 'libretto connection remove conn_4fHj2kLm9QwErTy0 --yes'), load('remove'));
}
