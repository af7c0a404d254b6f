// The commands of registered repositories and their flags.

import { Option, type Command } from 'commander';

import {
  addGroup,
  childOption,
  onBehalfOption,
  withJson,
  withRegistry,
  withSettings,
  type Wire,
} from '../commands/command-parts.ts';
import { removable } from '../commands/repository/removable-fields.ts';

const load = (command: keyof typeof import('../commands/repository/repository.ts')) => async () =>
  (await import('../commands/repository/repository.ts'))[command];

export function addRepositories(program: Command, wire: Wire): void {
  const repository = addGroup(program, 'repository', {
    summary: 'register, sync and remove repositories that this registry reads',
    description:
      'Register, sync and remove repositories that the server fetches by itself: at each push, or at an interval. ' +
      'Sources that this machine reads are for `libretto build`.',
    examples: [
      'libretto repository add https://git.example.org/acme/tool.git --token-file token.txt',
      'libretto repository sync repo_4fHj2kLm9QwErTy0',
    ],
  });
  for (const add of [addAdd, addList, addShow, addUpdate, addVerify, addSync, addHook, addRemove, addWithdraw])
    add(repository, wire);
}

function addAdd(repository: Command, wire: Wire): void {
  wire(
    withRegistry(
      addCommand(repository),
      'changes',
      'libretto repository add https://git.example.org/acme/tool.git --token-file - --interval 15m < token.txt',
      'libretto repository add --type directory /srv/packages',
      'libretto repository add --type composer https://repo.example.org --only "example/*" --package example/tool:^2.0',
    ),
    load('add'),
  );
}

function addUpdate(repository: Command, wire: Wire): void {
  wire(
    withRegistry(
      updateCommand(repository),
      'session',
      'libretto repository update repo_4fHj2kLm9QwErTy0 --token-file - < token.txt',
      'libretto repository update repo_4fHj2kLm9QwErTy0 --interval 1h --without only branch',
    ),
    load('update'),
  );
}

function addList(repository: Command, wire: Wire): void {
  const list = repository
    .command('list')
    .summary('list all repositories')
    .description('List all registered repositories with their status.');
  wire(
    withRegistry(
      list,
      'reads',
      'libretto repository list --json',
      'LIBRETTO_TOKEN=lib_r_… libretto repository list --url https://packages.example.org',
    ),
    load('list'),
  );
}

function addShow(repository: Command, wire: Wire): void {
  const show = repository
    .command('show')
    .argument('<id>', 'the id of the repository')
    .summary('show one repository')
    .description('Show one repository and its last syncs, without its credentials.');
  wire(withRegistry(show, 'reads', 'libretto repository show repo_4fHj2kLm9QwErTy0'), load('show'));
}

function addVerify(repository: Command, wire: Wire): void {
  const verify = repository
    .command('verify')
    .argument('<id>', 'the id of the repository')
    .summary('check that a repository can be read')
    .description(
      'Check that a repository can be reached and read with its credentials, and list its contents. The ' +
        'command changes nothing.',
    )
    .addOption(
      new Option('--record <json>', 'check this record instead of a stored one, as the server does').hideHelp(),
    );
  wire(withRegistry(verify, 'reads', 'libretto repository verify repo_4fHj2kLm9QwErTy0'), load('verify'));
}

function addSync(repository: Command, wire: Wire): void {
  const sync = withSettings(repository.command('sync'), 'jobs')
    .argument('<id>', 'the id of the repository')
    .summary('read a repository now and publish its packages')
    .description('Read a repository now and publish its packages. Packages of other sources stay as published.')
    .addOption(childOption())
    .addOption(onBehalfOption());
  wire(
    withRegistry(
      sync,
      'changes',
      'libretto repository sync repo_4fHj2kLm9QwErTy0',
      'LIBRETTO_TOKEN=lib_w_… libretto repository sync repo_4fHj2kLm9QwErTy0 --url https://packages.example.org',
    ),
    load('sync'),
  );
}

function addHook(repository: Command, wire: Wire): void {
  const hook = repository
    .command('hook')
    .argument('[id]', 'the id of the repository')
    .summary('show the webhook of a repository, and its deliveries')
    .description(
      'Show the address of the webhook of a repository, and the last deliveries. The first call makes the webhook and ' +
        'prints its secret, which is shown only once.',
    )
    .option('--all', 'the webhook for all repositories: of an organisation, a group or a whole server')
    .option('--rotate', 'make a new secret; the former one stays valid for 24 hours')
    .option('--drop-old', 'with --rotate: the former secret ends at once')
    .option('--replay <delivery>', 'start the syncs of this delivery once more; in a data folder, wait for them')
    .option('--remove', 'remove the webhook and its secrets');
  wire(
    withRegistry(
      hook,
      'session',
      'libretto repository hook repo_4fHj2kLm9QwErTy0',
      'libretto repository hook repo_4fHj2kLm9QwErTy0 --replay dlv_9QwErTy04fHj2kLm',
      'libretto repository hook --all --rotate',
    ),
    () => import('../commands/repository/hook.ts'),
  );
}

function addRemove(repository: Command, wire: Wire): void {
  const remove = repository
    .command('remove')
    .argument('<id>', 'the id of the repository')
    .summary('remove a repository, and withdraw its packages')
    .description('Remove a repository, and withdraw its packages. Without --yes, the command only lists them.')
    .option('--yes', 'remove the repository');
  wire(withRegistry(remove, 'session', 'libretto repository remove repo_4fHj2kLm9QwErTy0 --yes'), load('remove'));
}

function addWithdraw(repository: Command, wire: Wire): void {
  const withdraw = repository
    .command('withdraw')
    .summary('withdraw leftover packages of removed repositories')
    .description('Withdraw the packages of a removed repository after an interrupted removal.')
    .addOption(onBehalfOption());
  wire(withJson(withdraw, 'libretto repository withdraw'), () => import('../commands/repository/withdraw.ts'));
}

function addCommand(repository: Command): Command {
  const add = repository
    .command('add')
    .argument('<url>', 'https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, or a folder below sourceRoots')
    .summary('register a repository')
    .description(
      'Register a repository. It has only the credentials given here. The registry does not use the credential ' +
        'helpers, ssh keys or ~/.netrc of the user who runs this command.',
    )
    .addOption(
      new Option('--type <type>', 'the type of the repository')
        .choices(['git', 'directory', 'artifact', 'composer'])
        .default('git'),
    );
  return withFields(add).option(
    '--interval <span>',
    'sync automatically every 15m, 12h, 1d, … (default: only on request)',
  );
}

function updateCommand(repository: Command): Command {
  const update = repository
    .command('update')
    .argument('<id>', 'the id of the repository')
    .summary('change a repository')
    .description(
      'Change the credentials, the filters or the interval of a repository. The change takes effect with the ' +
        'next sync. Only the given values change; type and address cannot be changed.',
    );
  return withFields(update)
    .option('--interval <span>', 'sync automatically every 15m, 12h, 1d, …')
    .addOption(new Option('--without <what...>', 'remove these values').choices([...removable]));
}

/** Credentials for https. */
export function withCredentials(command: Command): Command {
  return command
    .option('--username <name>', 'the user name for https, with --password-file')
    .option(
      '--password-file <file>',
      'a file whose first line is the password or access token for https; - for standard input',
    )
    .option('--token-file <file>', 'a file whose first line is a bearer token for https; - for standard input')
    .option(
      '--header <name>',
      'for a Composer repository, with --token-file: the header that carries the token, such as PRIVATE-TOKEN',
    );
}

function withFields(command: Command): Command {
  return withCredentials(command)
    .option('--key-file <file>', 'a private ssh key without a passphrase; - for standard input')
    .option('--only <name...>', 'publish only these packages (* matches any characters)')
    .option('--except <name...>', 'do not publish these packages')
    .option('--versions <constraint>', 'publish only versions that match the constraint')
    .option(
      '--minimum-stability <stability>',
      'the minimum stability of published versions: stable, RC, beta, alpha or dev',
    )
    .option('--tag <pattern...>', 'read only these tags')
    .option('--branch <pattern...>', 'read only these branches')
    .option('--subdirectory <pattern...>', 'folders that are separate packages')
    .option(
      '--package <name...>',
      'for type composer: packages that each sync fetches in advance; name:constraint selects versions',
    );
}
