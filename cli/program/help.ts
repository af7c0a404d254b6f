// Help: of the program itself, with all commands in groups on one screen, and of a command by its whole name.

import { Help, type Command, type HelpConfiguration } from 'commander';
import { heading } from '../commands/command-parts.ts';
import { nearest } from '../text/suggest.ts';

/** The groups in their order, and the commands of each group in their order. A test finds every command here. */
export const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'Publish:': ['build', 'site', 'publish', 'receive', 'repository', 'connection', 'package', 'rollback'],
  'Serve:': ['init', 'start', 'serve', 'mirror', 'policy', 'notify', 'settings'],
  'Give access:': ['token', 'publisher', 'ci', 'user', 'team', 'login', 'logout', 'keys'],
  'Inspect:': ['status', 'doctor', 'verify', 'why', 'impact', 'history', 'diff', 'audit', 'api'],
  'Maintain:': ['backup', 'restore', 'prune', 'config', 'import', 'state', 'completion'],
};

/** Gives each command of the program its group, and sorts the commands by the groups. */
export function groupCommands(program: Command): void {
  const order = Object.values(helpGroups).flat();
  const placeOf = (command: Command): number =>
    order.includes(command.name()) ? order.indexOf(command.name()) : order.length;
  for (const [group, names] of Object.entries(helpGroups))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(group);
  (program.commands as Command[]).sort((one, other) => placeOf(one) - placeOf(other));
}

/**
 * The configuration of every help text. The help of the program fits a screen: it shows no arguments of its commands,
 * and no blank line before their groups.
 */
export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  styleTitle: heading,
  visibleCommands: (command) =>
    Help.prototype.visibleCommands
      .call(new Help(), command)
      .filter((child) => !isProgram(command) || child.name() !== 'help'),
  subcommandTerm: (command) =>
    isProgram(command.parent) ? command.name() : Help.prototype.subcommandTerm.call(new Help(), command),
  formatHelp: (command, helper) => {
    const text = Help.prototype.formatHelp.call(helper, command, helper);
    return isProgram(command) ? withoutGaps(text) : text;
  },
};

/** Removes the blank line before each group. */
function withoutGaps(text: string): string {
  return Object.keys(helpGroups).reduce(
    (left, group) => left.replace(`\n\n${heading(group)}`, `\n${heading(group)}`),
    text,
  );
}

function isProgram(command: Command | null): boolean {
  return command !== null && command.parent === null;
}

// `libretto help token create`: the help of a command by its whole name. Commander's own help takes one word.

/** Replaces commander's help command. */
export function addHelp(program: Command): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'the name of a command: build, token create')
    .summary('show the help of a command')
    .description('Show the help of a command.')
    .action((words: readonly string[]) => find(program, words).help());
}

/** Ends with the usage error of the deepest known command for an unknown word. */
function find(program: Command, words: readonly string[]): Command {
  let found = program;
  for (const word of words) {
    const child = found.commands.find((command) => command.name() === word);
    if (child === undefined) {
      const known = found.createHelp().visibleCommands(found);
      const meant = nearest(
        word,
        known.map((command) => command.name()),
      );
      return found.error(`error: unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`);
    }
    found = child;
  }
  return found;
}
