// `libretto help token create`: the help of a command by its whole name. Commander's own help takes one word.

import type { Command } from 'commander';

import { nearest } from '../text/suggest.ts';

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
