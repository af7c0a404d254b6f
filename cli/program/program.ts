// The commands and their flags, no logic. A command's module is loaded only when that command runs: start-up time
// counts, and a build needs neither the state store nor the server.

import { Command, CommanderError, Option } from 'commander';
import { actorOf, pathOf, type Wire } from '../commands/command-parts.ts';
import { warnOfUnknownVariables } from '../config/unknown-variables.ts';
import type { Context, ProcessContext } from '../io/context.ts';
import { commandStreams, type CommandStreams } from '../io/streams.ts';
import { addAdopt } from './adopt.ts';
import { addPublishing, addImports } from './build.ts';
import { addArtifacts } from './artifacts.ts';
import { addBundle, addReceiving } from './bundle.ts';
import { addCi } from './ci.ts';
import { addCompletion } from './completion.ts';
import { addHelp, groupCommands, helpConfiguration } from './help.ts';
import { addHistory, addRollback } from './history.ts';
import { addInit } from './init.ts';
import { acceptLeadingOptions, flagsOf, refuseImpossiblePaths, refuseUnusedAddress } from './option-rules.ts';
import { addData, addSite } from './data.ts';
import { addLogin, addApi } from './login.ts';
import { addMirror } from './mirror.ts';
import { addNotifications } from './notifications.ts';
import { addPackages } from './packages.ts';
import { addPeople } from './people.ts';
import { addPolicy } from './policy.ts';
import { addTeams } from './teams.ts';
import { addPublishers } from './publishers.ts';
import { registryOptions } from './registry-options.ts';
import { addRepositories } from './repositories.ts';
import { addReview } from './review.ts';
import { addConnections } from './connections.ts';
import { addServe, addStart } from './serving.ts';
import { addAudit, addSettings } from './settings.ts';
import { addTokens } from './tokens.ts';
import { addTrust } from './inspect.ts';
import { hintWithErrors } from './usage-hints.ts';
import { version } from '../io/version.ts';

/**
 * Runs a command line (`process.argv`) and resolves with its exit code. For wrong arguments, commander prints the
 * reason, and the exit code is 2.
 */
export async function runProgram(argv: readonly string[], context: ProcessContext): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    context,
    (code) => (exitCode = code),
    (all, wire) => addCommands(all, wire, argv[2]),
  );
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}

/** Declares all commands. `finish` gets the exit code of the command that runs. `add`: a test adds its own commands. */
export function createProgram(
  context: ProcessContext,
  finish: (exitCode: number) => void,
  add: (program: Command, wire: Wire) => void = addCommands,
): Command {
  const program = new Command('libretto')
    .description('A private Composer registry: publishes packages, and serves them to clients.')
    .version(version, '-V, --version', 'print the version')
    .option('-q, --quiet', 'print only errors, warnings, and the requested output')
    .option('-v, --verbose', 'print also the steps of the work')
    .option('--debug', 'show the stack of an unexpected error')
    .option('--all', 'with --help: also the commands that few people need')
    .enablePositionalOptions() // a command may have its own --version
    .helpCommand('help [command]', 'show the help of a command') // of the groups
    .configureHelp(helpConfiguration)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(context.stderr.typeable?.(text) ?? text),
      getOutHasColors: () => context.stdout.colors === true,
      getErrHasColors: () => context.stderr.colors === true,
    })
    .exitOverride()
    .showHelpAfterError('Run `libretto --help` to see the commands.');
  const wire = wireTo(program, context, finish);
  add(program, wire);
  groupCommands(program);
  acceptLeadingOptions(program);
  hintWithErrors(program, context);
  return program;
}

/**
 * Functions that declare commands, by the first words of a command line. To declare all takes a seventh of the processor
 * time of a short command. Help and completion are not here: they read all declarations.
 */
const declarations: readonly (readonly [words: string, declare: (program: Command, wire: Wire) => void])[] = [
  ['build', addPublishing],
  ['site', addSite],
  ['verify why usage tell report impact prune', addTrust],
  ['review', addReview],
  ['history', addHistory],
  ['rollback', addRollback],
  ['receive', addReceiving],
  ['bundle', addBundle],
  ['adopt', addAdopt],
  ['publish artifact', addArtifacts],
  ['repository', addRepositories],
  ['connection', addConnections],
  ['package', addPackages],
  ['mirror', addMirror],
  ['import', addImports],
  ['serve', addServe],
  ['start', addStart],
  ['token', addTokens],
  ['user keys', addPeople],
  ['team', addTeams],
  ['policy', addPolicy],
  ['publisher', addPublishers],
  ['ci', addCi],
  ['login logout', addLogin],
  ['api', addApi],
  ['notify', addNotifications],
  ['settings', addSettings],
  ['audit', addAudit],
  ['status doctor config backup restore', addData],
  ['init', addInit],
];

/** Declares the commands that begin with `word`. Where there is none, it declares all, for help and suggestions. */
export function addCommands(program: Command, wire: Wire, word = ''): void {
  const needed = declarations.filter(([words]) => words.split(' ').includes(word));
  for (const [, declare] of needed.length > 0 ? needed : declarations) declare(program, wire);
  if (needed.length > 0) return;
  addHelp(program);
  addCompletion(program, wire);
}

/** Copies properties without reading them: reading `stdin` opens it. */
function withStreams(context: ProcessContext, streams: CommandStreams, actor: Context['actor']): Context {
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      ...Object.getOwnPropertyDescriptors(streams),
      actor: { value: actor, enumerable: true },
    },
  ) as Context;
}

/** Loads the module of a command when the command runs, and gives its exit code to `finish`. */
function wireTo(program: Command, context: ProcessContext, finish: (exitCode: number) => void): Wire {
  const programWith = (word: string): Command =>
    program.commands.some((command) => command.name() === word)
      ? program
      : createProgram(context, finish, (other, wire) => addCommands(other, wire, word));
  return (command, load) => {
    command.showHelpAfterError(`Run \`libretto ${pathOf(command)} --help\` to see its arguments.`);
    for (const flag of ['-q, --quiet', '-v, --verbose', '--debug']) command.addOption(new Option(flag).hideHelp());
    command.action(async () => {
      const flags = flagsOf(command);
      refuseImpossiblePaths(command, flags);
      context.onCommand(registryOptions(programWith, flags, context.workingDirectory));
      refuseUnusedAddress(command, flags, context.environment);
      const streams = commandStreams(context, flags);
      const { run, publishes } = await load();
      // the server that started this process has warned already
      if (flags['child'] !== true) warnOfUnknownVariables(context);
      const own = withStreams(context, streams, actorOf(context, flags));
      const exitCode = await run(own, { flags, operands: command.args });
      if (publishes === true) await (await import('./update-site-after.ts')).updateSiteAfter(command, flags, own);
      finish(exitCode);
    });
  };
}
