// Lets every command complete its messages about wrong arguments.

import type { Command } from 'commander';

import { pathOf } from '../commands/command-parts.ts';
import { painted } from '../io/color.ts';
import type { ProcessContext } from '../io/context.ts';
import { withHint, type RefusingCommand } from './usage-hints.ts';

/** Call it when all commands are declared. */
export function hintWithErrors(program: Command, context: ProcessContext): void {
  const groups = new Map(program.commands.map((group) => [group.name(), namesOf(group)]));
  const add = (command: Command): void => {
    command.configureOutput({
      outputError: (text, write) =>
        write(
          painted(context.stderr, 'red', withHint(text, describe(command, command === program ? groups : new Map()))),
        ),
    });
    command.commands.forEach(add);
  };
  add(program);
}

function describe(command: Command, groups: RefusingCommand['groups']): RefusingCommand {
  const path = command.parent === null ? '' : pathOf(command);
  return {
    path,
    group: path,
    args: command.args,
    commands: namesOf(command),
    groups,
    options: command.options.map(({ long }) => long ?? ''),
    operands: command.registeredArguments.length,
  };
}

function namesOf({ commands }: Command): readonly string[] {
  return commands.map((command) => command.name());
}
