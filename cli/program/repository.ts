// The commands of registered repositories and their flags.

import { Option, type Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';
import { removable } from '../commands/repository/removable-fields.ts';

export function addRepositories(program: Command, wire: Wire): void {
  const repository = program
    .command('repository')
    .summary('register, sync and remove repositories that this registry fetches')
    .description('Register, sync and remove repositories that this registry fetches by itself.');
  repository.showHelpAfterError('Run `libretto repository --help` to see the commands.');
  repository.addHelpText(
    'after',
    example(
      'libretto repository add https://git.example.org/acme/tool.git --token-file token.txt',
      'libretto repository sync repo_4fHj2kLm9QwErTy0',
    ),
  );
  const withJson = (command: Command, ...examples: string[]): Command =>
    withSettings(command, 'data', 'state')
      .option('--json', 'print one JSON document')
      .addHelpText('after', example(...examples));
  wire(
    withJson(
      addCommand(repository),
      'libretto repository add https://git.example.org/acme/tool.git --token-file - --interval 15m < token.txt',
      'libretto repository add --type directory /srv/packages',
      'libretto repository add --type composer https://repo.example.org --only "example/*" --package example/tool:^2.0',
    ),
    () => import('../commands/repository/add.ts'),
  );
  const orRemote = (command: Command): Command =>
    command
      .option('--url <url>', 'the address of a remote registry, instead of a data folder')
      .option('--token <token>', 'a token of the remote registry (better: LIBRETTO_TOKEN)');
  const list = orRemote(repository.command('list'))
    .summary('list all repositories')
    .description('List all registered repositories and how it stands with them.');
  wire(
    withJson(
      list,
      'libretto repository list --json',
      'LIBRETTO_TOKEN=lib_r_… libretto repository list --url https://packages.example.org',
    ),
    () => import('../commands/repository/list.ts'),
  );
  const show = orRemote(repository.command('show'))
    .argument('<id>')
    .summary('show one repository')
    .description('Show one repository and its last syncs, without its credentials.');
  wire(
    withJson(show, 'libretto repository show repo_4fHj2kLm9QwErTy0'),
    () => import('../commands/repository/show.ts'),
  );
  wire(
    withJson(
      updateCommand(repository),
      'libretto repository update repo_4fHj2kLm9QwErTy0 --token-file - < token.txt',
      'libretto repository update repo_4fHj2kLm9QwErTy0 --interval 1h --without only branch',
    ),
    () => import('../commands/repository/update.ts'),
  );
  const verify = repository
    .command('verify')
    .argument('<id>')
    .summary('ask whether a repository can be read')
    .description(
      'Ask whether a repository can be reached and read with its credentials, and what is there. Changes nothing.',
    );
  wire(
    withJson(verify, 'libretto repository verify repo_4fHj2kLm9QwErTy0'),
    () => import('../commands/repository/verify.ts'),
  );
  const sync = orRemote(withSettings(repository.command('sync'), 'jobs'))
    .argument('<id>')
    .summary('read a repository now and publish what it has')
    .description('Read a repository now and publish what it has. All other sources stay as published.')
    .addOption(new Option('--child', 'the build alone, as the service runs it').hideHelp());
  wire(
    withJson(
      sync,
      'libretto repository sync repo_4fHj2kLm9QwErTy0',
      'LIBRETTO_TOKEN=lib_w_… libretto repository sync repo_4fHj2kLm9QwErTy0 --url https://packages.example.org',
    ),
    () => import('../commands/repository/sync.ts'),
  );
  const remove = repository
    .command('remove')
    .argument('<id>')
    .summary('remove a repository, and withdraw what it published')
    .description('Remove a repository, and withdraw what it published. Without --yes: say what that would be.')
    .option('--yes', 'do it');
  wire(
    withJson(remove, 'libretto repository remove repo_4fHj2kLm9QwErTy0 --yes'),
    () => import('../commands/repository/remove.ts'),
  );
  const withdraw = repository
    .command('withdraw')
    .summary('withdraw what is left of removed repositories')
    .description('Withdraw what is left of removed repositories, where that was cut off.');
  wire(withJson(withdraw, 'libretto repository withdraw'), () => import('../commands/repository/withdraw.ts'));
}

function addCommand(repository: Command): Command {
  const add = repository
    .command('add')
    .argument('<url>', 'https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, or a folder below sourceRoots')
    .summary('register a repository')
    .description(
      'Register a repository. The user running this command lends it nothing: no credential helper, no ssh key, no ~/.netrc.',
    )
    .addOption(
      new Option('--type <type>', 'what it is').choices(['git', 'directory', 'artifact', 'composer']).default('git'),
    );
  return withFields(add).option(
    '--interval <span>',
    'sync by itself every 15m, 12h, 1d, … (default: when somebody asks)',
  );
}

function updateCommand(repository: Command): Command {
  const update = repository
    .command('update')
    .argument('<id>')
    .summary('change a repository')
    .description(
      'Change the credentials, the filters or the interval of a repository. It acts with the next sync. What is not given stays as it is; type and address never change.',
    );
  return withFields(update)
    .option('--interval <span>', 'sync by itself every 15m, 12h, 1d, …')
    .addOption(new Option('--without <what...>', 'take these away').choices([...removable]));
}

function withFields(command: Command): Command {
  return command
    .option('--username <name>', 'for https, beside --password-file')
    .option(
      '--password-file <file>',
      'a file whose first line is the password or access token for https; - for standard input',
    )
    .option('--token-file <file>', 'a file whose first line is a bearer token for https; - for standard input')
    .option(
      '--header <name>',
      'of type composer, beside --token-file: the header that the token stands in, such as PRIVATE-TOKEN',
    )
    .option('--key-file <file>', 'a private ssh key without a passphrase; - for standard input')
    .option('--only <name...>', 'publish only these packages (* stands for any characters)')
    .option('--except <name...>', 'leave these packages out')
    .option('--versions <constraint>', 'publish only versions that match')
    .option('--minimum-stability <stability>', 'publish nothing less stable: stable, RC, beta, alpha or dev')
    .option('--tag <pattern...>', 'read only these tags')
    .option('--branch <pattern...>', 'read only these branches')
    .option('--subdirectory <pattern...>', 'folders that are packages of their own')
    .option(
      '--package <name...>',
      'of type composer: fetch these ahead with each sync; name:constraint for some of their versions',
    );
}
