// The commands and their flags, no logic. A command's module is loaded only when that command runs: start-up time
// counts, and a build needs neither the state store nor the server.

import { Command, CommanderError, Option } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';
import type { Context } from '../io/context.ts';
import { addArtifacts } from './artifacts.ts';
import { addHistory } from './history.ts';
import { addData } from './data.ts';
import { addMirror } from './mirror.ts';
import { addPackages } from './packages.ts';
import { addPeople } from './people.ts';
import { addReceiving } from './receive.ts';
import { addRepositories } from './repository.ts';
import { addAudit, addSettings } from './settings.ts';
import { addState } from './state.ts';
import { addTrust } from './inspect.ts';
import { version } from '../io/version.ts';

/**
 * Runs a command line (`process.argv`) and resolves with its exit code. Arguments that commander refuses are told by
 * it: exit code 2.
 */
export async function runProgram(argv: readonly string[], context: Context): Promise<number> {
  let exitCode = 0;
  const program = createProgram(context, (code) => (exitCode = code));
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** Every command there is; none is run. `finish` is told the exit code of the one that then is. */
export function createProgram(context: Context, finish: (exitCode: number) => void): Command {
  const program = new Command('libretto')
    .description(
      'A private Composer registry: builds metadata and archives from sources, and serves them to clients with a token.',
    )
    .version(version, '-V, --version', 'print the version')
    .option('--debug', 'show the stack of an unexpected error')
    .enablePositionalOptions() // so that a command may have a --version of its own
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
    .exitOverride()
    .showHelpAfterError('Run `libretto --help` to see the commands.')
    .addHelpText(
      'after',
      example('libretto build ./packages', 'libretto token create --description "CI"', 'libretto serve'),
    );
  const wire: Wire = (command, load) => {
    command.showHelpAfterError(`Run \`libretto ${pathOf(command)} --help\` to see its arguments.`);
    command.addOption(new Option('--debug').hideHelp());
    command.action(async () => {
      const { run } = await load();
      finish(await run(context, { flags: command.optsWithGlobals(), operands: command.args }));
    });
  };
  addPublishing(program, wire);
  addTrust(program, wire);
  addHistory(program, wire);
  addReceiving(program, wire);
  addArtifacts(program, wire);
  addRepositories(program, wire);
  addPackages(program, wire);
  addMirror(program, wire);
  addImports(program, wire);
  addServing(program, wire);
  addTokens(program, wire);
  addPeople(program, wire);
  addSettings(program, wire);
  addAudit(program, wire);
  addData(program, wire);
  addState(program, wire);
  return program;
}

function addPublishing(program: Command, wire: Wire): void {
  const build = withSettings(program.command('build'), 'data', 'state', 'jobs', 'keep')
    .summary('publish packages from directories and git repositories')
    .description(
      'Publish packages from directories and git repositories. The data folder records the sources. Without SOURCE, the command builds the recorded sources ' +
        'and the sources in libretto.json; without any of these, packages-src.',
    )
    .argument(
      '[source...]',
      'a folder, a git repository or its URL; a prefix git:, dir: or artifact: (a folder of ZIPs) sets the type of an ambiguous source',
    )
    .option('--only <name...>', 'build only these packages (* matches any characters); others stay as published')
    .option('--forget <source>', 'withdraw the packages of this source, and remove the source (repeatable)', collect)
    .option('--strict', 'publish nothing if any package or version has to be left out')
    .option('--allow-republish', 'allow released versions to change their content')
    .option('--allow-withdraw', 'allow packages to lose their last version, and many packages to lose a release')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example(
        'libretto build ./packages https://git.example.org/acme/tool.git',
        'libretto build --only acme/hello',
        'libretto build --forget ./packages',
      ),
    );
  wire(build, () => import('../commands/build/build.ts'));
}

function addImports(program: Command, wire: Wire): void {
  const imports = program
    .command('import')
    .summary('import the configuration of another tool')
    .description('Import the configuration of another tool.');
  imports
    .showHelpAfterError('Run `libretto import --help` to see the commands.')
    .addHelpText('after', example('libretto import satis satis.json'));
  const satis = imports
    .command('satis')
    .argument('<file>', 'a satis.json')
    .summary('convert a satis.json into a libretto.json')
    .description(
      'Convert a satis.json into a libretto.json. List every option that cannot be converted, with the reason.',
    )
    .option(
      '--out <file>',
      'the file to write; - for standard output; an existing file is not replaced',
      'libretto.json',
    )
    .option('--json', 'print one JSON document with the result for each option')
    .addHelpText('after', example('libretto import satis satis.json', 'libretto import satis satis.json --out -'));
  wire(satis, () => import('../commands/satis/import-satis.ts'));
}

function addServing(program: Command, wire: Wire): void {
  const serve = withSettings(
    program.command('serve'),
    'data',
    'state',
    'origin',
    'listen',
    'redis',
    'workers',
    'metadataUrl',
    'trustedProxies',
    'maxIdleConnections',
    'tlsCert',
    'tlsKey',
    'features',
    'metrics',
    'log',
  )
    .summary('serve the output tree')
    .description('Serve the output tree to Composer clients with a token.')
    .addHelpText(
      'after',
      example(
        'libretto serve --listen 0.0.0.0:8080 --redis redis://127.0.0.1:6379',
        'libretto serve --metadata-url /p2/%package%.json --trusted-proxies 10.0.0.0/8',
        'libretto serve --workers 4 --redis redis://127.0.0.1:6379',
      ),
    );
  wire(serve, () => import('../commands/serve/serve.ts'));
  const start = withSettings(
    program.command('start'),
    'data',
    'state',
    'jobs',
    'listen',
    'redis',
    'metadataUrl',
    'trustedProxies',
    'maxIdleConnections',
    'tlsCert',
    'tlsKey',
    'features',
    'metrics',
    'log',
  )
    .summary('build, create a first token, serve, and print the install commands')
    .description(
      'Build, create a first read token if there is none, serve, and print the commands that install a package with Composer.',
    )
    .addHelpText('after', example('libretto start --listen 127.0.0.1:9000'));
  wire(start, () => import('../commands/serve/start.ts'));
}

function addTokens(program: Command, wire: Wire): void {
  const token = program
    .command('token')
    .summary('create, list, change and revoke tokens')
    .description('Create, list, change and revoke the tokens of Composer clients.');
  token.showHelpAfterError('Run `libretto token --help` to see the commands.');
  token.addHelpText('after', example('libretto token create --description "CI" --expires 90d', 'libretto token list'));
  const withJson = (command: Command, ...examples: string[]): Command =>
    withSettings(command, 'data', 'state')
      .option('--json', 'print one JSON document')
      .addHelpText('after', example(...examples));
  const create = token
    .command('create')
    .summary('create a token')
    .description('Create a token. The command shows the secret once.')
    .requiredOption('--description <text>', 'the purpose or owner of the token')
    .option('--kind <read|write>', 'read, or read and publish; cannot be changed later', 'read')
    .option('--limit <n>', 'requests per hour, 0 for no limit (default: the limit of the kind)')
    .option(
      '--expires <when>',
      'a duration such as 90d or 12h, or a time such as 2027-01-31T00:00:00Z (default: never)',
    );
  withLimits(create);
  wire(
    withJson(
      create,
      'libretto token create --description "CI of the shop" --expires 90d --limit 5000',
      'libretto token create --description "Customer 17" --package "acme/shop:^1" --stability stable --not-after 2027-01-31',
    ),
    () => import('../commands/token/create.ts'),
  );
  const list = token.command('list').summary('list all tokens').description('List all tokens, without their secrets.');
  wire(withJson(list, 'libretto token list --json'), () => import('../commands/token/list.ts'));
  const show = token
    .command('show')
    .argument('<id>')
    .summary('show one token')
    .description('Show one token, without its secret.');
  wire(withJson(show, 'libretto token show tok_2kTq9'), () => import('../commands/token/show.ts'));
  const update = token
    .command('update')
    .argument('<id>')
    .summary('change a token')
    .description(
      'Change a token. The change takes effect with the next request. The kind cannot change: create another token.',
    )
    .option('--description <text>', 'the purpose or owner of the token')
    .option('--limit <n|default>', 'requests per hour, 0 for no limit, or default for the limit of its kind')
    .option('--expires <when|never>', 'a duration from now such as 90d, a time such as 2027-01-31T00:00:00Z, or never');
  withLimits(update).option(
    '--clear <packages|stability|not-after|networks>',
    'remove this limit (repeatable)',
    collect,
  );
  wire(
    withJson(
      update,
      'libretto token update tok_2kTq9 --limit default --expires never',
      'libretto token update tok_2kTq9 --package "acme/shop:^2" --clear not-after',
    ),
    () => import('../commands/token/update.ts'),
  );
  const explain = token
    .command('explain')
    .argument('<id>')
    .argument('<package>', 'vendor/name')
    .argument('[version]', 'one version, published or not')
    .summary('explain which versions of a package a token sees')
    .description(
      'Explain which versions of a package a token sees, or whether it sees one version, and which limit hides the others. The exit code is 1 if the token does not see it.',
    )
    .option('--from <address>', 'check for a client with this address');
  wire(
    withJson(
      explain,
      'libretto token explain tok_2kTq9 acme/shop',
      'libretto token explain tok_2kTq9 acme/shop 2.0.0 --from 203.0.113.7',
    ),
    () => import('../commands/token/explain.ts'),
  );
  const rotate = token
    .command('rotate')
    .argument('<id>')
    .summary('give a token a new secret')
    .description(
      'Give a token a new secret. The command shows it once. The previous secret keeps working for a while. All other properties of the token stay.',
    )
    .option(
      '--grace <span>',
      'how long the previous secret keeps working: 30m, 12h, 7d, or 0 to end it at once',
      '24h',
    );
  wire(withJson(rotate, 'libretto token rotate tok_2kTq9 --grace 7d'), () => import('../commands/token/rotate.ts'));
  const revoke = token
    .command('revoke')
    .argument('<id>')
    .summary('revoke a token permanently')
    .description('Revoke a token permanently. The change takes effect with the next request.');
  wire(withJson(revoke, 'libretto token revoke tok_2kTq9'), () => import('../commands/token/revoke.ts'));
}

function withLimits(command: Command): Command {
  return command
    .option(
      '--package <pattern[:constraint]>',
      'visible packages: acme/core, acme/* or *; with a constraint, only matching versions: acme/core:<3.0 (repeatable; replaces the previous list)',
      collect,
    )
    .option('--stability <stability>', 'the minimum stability of visible versions: stable, RC, beta, alpha or dev')
    .option(
      '--not-after <time>',
      'versions released until then are visible: a day such as 2027-01-31 (UTC, including that day), or a time such as 2027-01-31T12:00:00Z',
    )
    .option(
      '--network <range>',
      'client addresses that may use the token: 203.0.113.0/24 (repeatable; replaces the previous list)',
      collect,
    );
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

function pathOf(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
