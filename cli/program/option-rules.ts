// Rules for the options of all commands: where they may stand, which values of paths are refused, and where
// LIBRETTO_URL is refused.

import { Option, type Command, type OptionValues } from 'commander';
import { UsageError } from '../io/usage-error.ts';
import { pathOf } from '../commands/command-parts.ts';
import type { Environment } from '../io/environment.ts';

const leading: readonly string[] = [
  '-d, --data <directory>',
  '-c, --config <file>',
  '--state <url>',
  '-q, --quiet',
  '-v, --verbose',
  '--json',
];

/** Call it when all commands are declared. */
export function acceptLeadingOptions(program: Command): void {
  for (const command of [program, ...program.commands.filter(({ commands }) => commands.length > 0)])
    for (const flags of leading) {
      const option = new Option(flags).hideHelp();
      if (!declares(command, option)) command.addOption(option);
    }
}

/**
 * The values of the command's own options, and of those before it; its own are stronger. Throws UsageError for an
 * option before the command that the command does not have.
 */
export function flagsOf(command: Command): OptionValues {
  const ancestors: Command[] = [];
  for (let one = command.parent; one !== null; one = one.parent) ancestors.unshift(one);
  const before = Object.assign({}, ...ancestors.map((one) => one.opts())) as OptionValues;
  for (const flags of leading) {
    const option = new Option(flags);
    if (before[option.attributeName()] !== undefined && !declares(command, option))
      throw new UsageError(
        `${option.long ?? flags} comes before a command that has no such option. Leave it out, or see ` +
          `\`libretto ${pathOf(command)} --help\`.`,
      );
  }
  return { ...before, ...command.opts() };
}

function declares(command: Command, option: Option): boolean {
  return command.options.some(({ long }) => long === option.long);
}

// Checks the values of options that name a file or a folder. `--data $FOLDER --quiet` with an empty variable would
// otherwise make a folder named `--quiet`.

const things: Readonly<Record<string, 'file' | 'folder'>> = { directory: 'folder', file: 'file' };

/** `flags`: the values of the command and of those above it. Throws UsageError. */
export function refuseImpossiblePaths(command: Command, flags: Readonly<Record<string, unknown>>): void {
  for (let one: Command | null = command; one !== null; one = one.parent)
    for (const option of one.options) refuseImpossiblePath(option, flags[option.attributeName()]);
}

function refuseImpossiblePath({ flags, long, short }: Option, value: unknown): void {
  const thing = things[/<(.+)>$/.exec(flags)?.[1] ?? ''];
  const name = long ?? short ?? flags;
  if (thing === undefined || typeof value !== 'string') return;
  if (value === '')
    throw new UsageError(`${name} has an empty value. Write the path of a ${thing}; a variable may have no value.`);
  // a dash alone is standard input or output
  if (/^-./s.test(value))
    throw new UsageError(
      `${name} is followed by ${value}, which looks like an option. Write the path of a ${thing} after ${name}; ` +
        `write ./${value} for a ${thing} of that name.`,
    );
}

// LIBRETTO_URL is what --url is. A command that has no remote form refuses the variable, as it refuses the flag:
// otherwise `token list` would show the tokens of another registry than `repository list` beside it. Pure.

/** These work with folders and files of this machine by nature, also in a CI job that exports the variable. */
const localWork: ReadonlySet<string> = new Set([
  'init',
  'build',
  'receive',
  'adopt',
  'serve',
  'start',
  'site',
  'verify',
  'prune',
  'backup',
  'restore',
  'artifact publish',
  'artifact withdraw',
  'state init',
  'state show',
]);

/** Throws UsageError. `--data` names the folder, and a server's own command gets its folder from the server. */
export function refuseUnusedAddress(
  command: Command,
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): void {
  const url = environment['LIBRETTO_URL'];
  if (url === undefined || url === '' || flags['data'] !== undefined || flags['child'] === true) return;
  const path = pathOf(command);
  if (localWork.has(path) || has(command, '--url') || !has(command, '--data')) return;
  throw new UsageError(
    `LIBRETTO_URL names a registry, and \`libretto ${path}\` has no remote form. Run it on the host of the registry, ` +
      'without LIBRETTO_URL. For a data folder on this machine, name the folder with --data.',
  );
}

function has(command: Command, option: string): boolean {
  return command.options.some(({ long }) => long === option);
}
