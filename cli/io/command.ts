// The type of a command: a function of its arguments that resolves with an exit code.

import type { Context } from './context.ts';

/** The arguments of a command: flags by their camel-case names, and operands. */
export interface CommandInput {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

/** Does the work of the command, and resolves with its exit code. */
export type Run = (context: Context, given: CommandInput) => Promise<number>;
