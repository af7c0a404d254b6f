// The help of the program itself: all commands in groups, in one screen. A command's own help lists its arguments.

import { Help, type Command, type HelpConfiguration } from 'commander';

import { heading } from '../commands/command-parts.ts';

/** The groups in their order, and the commands of each group in their order. A test finds every command here. */
export const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'Publish:': ['build', 'site', 'publish', 'receive', 'repository', 'connect', 'connection', 'package', 'rollback'],
  'Serve:': ['init', 'start', 'serve', 'mirror', 'policy', 'notify', 'settings'],
  'Give access:': ['token', 'publisher', 'ci', 'user', 'team', 'login', 'logout', 'keys'],
  'Inspect:': ['status', 'doctor', 'verify', 'why', 'impact', 'history', 'diff', 'audit'],
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
