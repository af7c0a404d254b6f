// Help: of the program itself, with its commands in groups on one screen, and of a command by its whole name.

import { Command, Help, type HelpConfiguration } from 'commander';
import { heading } from '../commands/command-parts.ts';
import { nearest } from '../text/suggest.ts';
import { formerCommand } from './former-commands.ts';

const start = 'Start here:';

/** The groups in their order, and the commands of each group in their order. A test finds every command here. */
export const helpGroups: Readonly<Record<string, readonly string[]>> = {
  [start]: ['build', 'serve', 'token create', 'doctor', 'rollback'],
  'Publish:': ['publish', 'repository', 'connection', 'package', 'receive', 'bundle', 'adopt', 'site'],
  'Serve:': ['init', 'start', 'mirror', 'policy', 'notify', 'settings'],
  'Give access:': ['token', 'user', 'team', 'publisher', 'login', 'logout', 'ci', 'keys'],
  'Inspect:': 'status why usage tell report history verify audit impact review api'.split(' '),
  'Maintain:': ['backup', 'restore', 'config', 'prune', 'import', 'completion'],
};

/** Commands that few people need: `libretto --help --all` shows them. */
const rare = 'receive bundle site ci keys impact report tell api prune import completion'.split(' ');

/** Gives each command of the program its group, and sorts the commands by the groups. */
export function groupCommands(program: Command): void {
  const order = Object.values(helpGroups).flat();
  const placeOf = (command: Command): number =>
    order.includes(command.name()) ? order.indexOf(command.name()) : order.length;
  for (const [group, names] of Object.entries(helpGroups))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(group);
  (program.commands as Command[]).sort((one, other) => placeOf(one) - placeOf(other));
  program.addHelpText('after', ({ command }) => (command === program ? endOfHelp(program) : ''));
}

function endOfHelp(program: Command): string {
  const more =
    program.opts()['all'] === true ? '' : `\n\`libretto --help --all\` shows the rare ones too:\n${rare.join(' ')}`;
  return `\n\`libretto help COMMAND\` shows the options of a command, with examples.${more}`;
}

/**
 * The configuration of every help text. The help of the program fits a screen: it shows no arguments of its commands,
 * and no blank line before their groups. Commands stand before options.
 */
export const helpConfiguration: HelpConfiguration = {
  showGlobalOptions: true,
  visibleGlobalOptions: (command) =>
    Help.prototype.visibleGlobalOptions
      .call(Object.assign(new Help(), { showGlobalOptions: true }), command)
      .filter(({ long }) => long !== '--all'),
  styleTitle: heading,
  subcommandTerm: (command) =>
    isProgram(command.parent) ? command.name() : Help.prototype.subcommandTerm.call(new Help(), command),
  formatHelp: (command, helper) => {
    if (!isProgram(command)) return optionsLast(command, Help.prototype.formatHelp.call(helper, command, helper));
    const shown = Object.assign(Object.create(helper) as Help, {
      visibleCommands: () => shownCommands(command),
      subcommandTerm: (child: Command) => child.name(),
    });
    return withoutGaps(optionsLast(command, Help.prototype.formatHelp.call(shown, command, shown)));
  },
};

/** The commands in the help of the program. `token create` stands there beside its group. */
function shownCommands(program: Command): Command[] {
  const all = program.opts()['all'] === true;
  const own = Help.prototype.visibleCommands
    .call(new Help(), program)
    .filter((command) => command.name() !== 'help' && (all || !rare.includes(command.name())));
  const at = own.findIndex((command) => command.name() === 'doctor');
  const create = find(program, ['token', 'create']);
  return own.toSpliced(at, 0, new Command('token create').summary(create.summary()).helpGroup(start));
}

/** Moves the options behind the commands, where there are commands. */
function optionsLast({ commands }: Command, text: string): string {
  if (commands.length === 0) return text;
  const parts = text.trimEnd().split('\n\n');
  const isOptions = (part: string): boolean =>
    [heading('Options:'), heading('Global Options:')].some((title) => part.startsWith(title));
  return `${[...parts.filter((part) => !isOptions(part)), ...parts.filter(isOptions)].join('\n\n')}\n`;
}

/** Removes the blank line before each group but the first. */
function withoutGaps(text: string): string {
  return Object.keys(helpGroups).reduce(
    (left, group) => (group === start ? left : left.replace(`\n\n${heading(group)}`, `\n${heading(group)}`)),
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
      const known = found.commands;
      const meant = nearest(
        word,
        known.map((command) => command.name()),
      );
      const suggestion = meant === undefined ? undefined : `Did you mean ${meant}?`;
      const hint = formerCommand(words) ?? suggestion;
      return found.error(`error: unknown command '${word}'${hint === undefined ? '' : `\n(${hint})`}`);
    }
    found = child;
  }
  return found;
}
