// `libretto completion SHELL`: prints the completion script of a shell.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { scripts } from './scripts.ts';
import { shells } from './shells.ts';

export function run({ stdout }: Context, { operands: [given] }: CommandInput): Promise<number> {
  const shell = shells.find((one) => one === given);
  if (shell === undefined)
    throw new UsageError(`There is no completion for ${JSON.stringify(given)}. Use one of: ${shells.join(', ')}.`);
  stdout.write(scripts[shell]);
  return Promise.resolve(0);
}
