// Options that people also write before the command, as in `libretto --data /srv/libretto build`. Commander accepts an
// option only where its command declares it, so this file declares these options on the program and on its groups too.

import { Option, type Command, type OptionValues } from 'commander';

import { UsageError } from '../io/usage-error.ts';
import { pathOf } from '../commands/command-parts.ts';

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
 * The values of the command's own options, and of those before it; its own are stronger. Throws UsageError for an option
 * before the command that the command does not have.
 */
export function flagsOf(command: Command): OptionValues {
  const ancestors: Command[] = [];
  for (let one = command.parent; one !== null; one = one.parent) ancestors.unshift(one);
  const before = Object.assign({}, ...ancestors.map((one) => one.opts())) as OptionValues;
  for (const flags of leading) {
    const option = new Option(flags);
    if (before[option.attributeName()] !== undefined && !declares(command, option))
      throw new UsageError(
        `${option.long ?? flags} stands before a command that has no such option. Leave it out, or see ` +
          `\`libretto ${pathOf(command)} --help\`.`,
      );
  }
  return { ...before, ...command.opts() };
}

function declares(command: Command, option: Option): boolean {
  return command.options.some(({ long }) => long === option.long);
}
