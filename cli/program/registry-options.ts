// The options that name the registry of the running command. An advised command repeats them, so that a person can
// paste it, also in another folder. Pure.

import { resolve } from 'node:path';
import type { Command } from 'commander';

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import type { OptionsOf } from '../io/invocation.ts';
import { printable } from '../io/output.ts';

/**
 * `program`: has the commands that begin with a word. `flags`: the values of the running command. The returned function
 * adds each option that the advised command declares and does not name. A command for a remote registry gets none, and
 * its advice neither.
 */
export function registryOptions(
  program: (word: string) => Command,
  flags: Readonly<Record<string, unknown>>,
  workingDirectory: string,
): OptionsOf {
  if (flags['url'] !== undefined) return () => '';
  const path = (value: string): string => resolve(workingDirectory, value);
  const forms = { config: path, data: path, state: withoutPassword };
  const given = Object.entries(forms).flatMap(([name, form]) => {
    const value = flags[name];
    return typeof value === 'string' ? [[`--${name}`, quoteForShell(printable(form(value)))] as const] : [];
  });
  return (words) => {
    if (/ --(?:help|url)\b/.test(words)) return '';
    const declared = new Set(commandOf(program(words.split(' ', 1)[0] ?? ''), words).options.map(({ long }) => long));
    return given
      .filter(([option]) => declared.has(option) && !words.includes(` ${option}`))
      .map(([option, value]) => ` ${option} ${value}`)
      .join('');
  };
}

/** The password of a Redis would stay in logs and in the history of the shell, so the reader fills it in. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z+]*:\/\/[^:@/]*):.*@/is, '$1:PASSWORD@');
}

const nothing: Pick<Command, 'options'> = { options: [] };

/** The command that these words begin with; of a group without a command, none. */
function commandOf(program: Command, words: string): Pick<Command, 'options'> {
  let command = program;
  for (const word of words.split(' ')) {
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined) break;
    command = child;
  }
  return command.commands.length > 0 ? nothing : command;
}
