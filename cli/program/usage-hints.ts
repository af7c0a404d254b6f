// Completes commander's messages about wrong arguments where people bring a word from another tool, or say a command in
// another order. Commander itself suggests names with a similar spelling. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { asTwoWords } from '../text/name-and-version.ts';
import { suggestCommand, type UnknownCommand } from './suggest-command.ts';
import type { Command } from 'commander';
import { pathOf } from '../commands/command-parts.ts';
import { painted } from '../io/color.ts';
import type { ProcessContext } from '../io/context.ts';

/** The command that refuses its arguments. */
export interface RefusingCommand extends UnknownCommand {
  /** the words behind `libretto`: `token create`, or nothing */
  readonly path: string;
  /** the operands, and behind them everything from the first unknown option */
  readonly args: readonly string[];
  /** `--description` */
  readonly options: readonly string[];
  /** the number of operands that it takes */
  readonly operands: number;
}

const listen = (rest: readonly string[]): string => `--listen 127.0.0.1:${portOf(rest) ?? 'PORT'}`;

const options: Readonly<Record<string, string | ((rest: readonly string[]) => string)>> = {
  '--port': listen,
  '-p': listen,
  '--host': '--listen HOST:PORT',
  '--bind': '--listen HOST:PORT',
  '--address': '--listen HOST:PORT',
  '--output-dir': '--data DIRECTORY',
  '--name': '--description TEXT',
  '--server': '--url ADDRESS',
  '--registry': '--url ADDRESS',
};

/** Options that other commands have, and why this one has not. */
const absent: Readonly<Record<string, string>> = {
  '--output':
    'name the object store in LIBRETTO_OUTPUT or in `output` of libretto.json; a folder with the packages is --data DIRECTORY',
  '--state': 'this command reads no state, so it needs no address of one: leave --state out',
  '--url': 'this command has no remote form: run it on the host of the registry',
};

/** Names that destroy something. Letters alone must not suggest them: the typed word meant something else. */
const destroying =
  /^(?:--(?:allow|clear|drop|force|forget|lift|purged|recover|remove|reset|yes)|prune|purge|remove|revoke|rollback|withdraw)/;

/** The message with a hint behind its first line. */
export function withHint(said: string, command: RefusingCommand): string {
  const message = said.replace(/\n\(Did you mean (?:one of )?([^)]*)\?\)/, (line, names: string) =>
    names.split(', ').some((name) => destroying.test(name)) ? '' : line,
  );
  const [, kind, word = ''] = /^error: unknown (option|command) '([^' =]+)/.exec(message) ?? [];
  if (kind === 'command') {
    const meant = suggestCommand(word, command);
    return meant === undefined ? message : withLine(message, meant);
  }
  if (kind === 'option') return withOption(message, word, command);
  if (message.startsWith('error: required option ')) return withTyped(message, command);
  if (message.startsWith("error: missing required argument 'version'")) return withVersion(message, command.args[0]);
  return message;
}

function withOption(message: string, word: string, { args, options: known }: RefusingCommand): string {
  if (Object.hasOwn(absent, word)) return withLine(message, absent[word] ?? '');
  const meant = Object.hasOwn(options, word) ? options[word] : undefined;
  if (meant === undefined || message.includes('(Did you mean')) return message;
  const text = typeof meant === 'string' ? meant : meant(args.slice(args.findIndex((arg) => arg.startsWith(word))));
  return known.includes(text.split(' ', 1)[0] ?? '') ? withLine(message, `Did you mean ${text}?`) : message;
}

/** Commander names a missing option before it looks at the words that stand in its place. */
function withTyped(message: string, command: RefusingCommand): string {
  const { args, operands, path } = command;
  const option = /'(--\S+)/.exec(message)?.[1] ?? '';
  const unknown = args.find((arg) => arg.length > 1 && arg.startsWith('-'));
  if (unknown !== undefined) {
    const word = unknown.replace(/=.*$/, '');
    return `${withOption(`error: unknown option '${word}'`, word, command)}\n${message}`;
  }
  const word = args[operands];
  if (word === undefined) return message;
  if (word === 'help') return withLine(message, `for the help: \`libretto ${path} --help\``);
  return withLine(
    message,
    `${quoteForShell(word)} has no option before it; did you mean ${option} ${quoteForShell(word)}?`,
  );
}

function withVersion(message: string, operand = ''): string {
  const words = asTwoWords(operand);
  return words === undefined ? message : withLine(message, `name and version are two words here: ${words}`);
}

/** In place of commander's own suggestion, which goes by the letters alone. */
function withLine(message: string, hint: string): string {
  return message.replace(
    /(?:\n\(Did you mean [^)]*\))?(\n|$)/,
    () => `\n(${hint})${message.endsWith('\n') ? '\n' : ''}`,
  );
}

function portOf([first = '', second = '']: readonly string[]): string | undefined {
  const value = first.includes('=') ? first.slice(first.indexOf('=') + 1) : second;
  return /^\d{1,5}$/.test(value) ? value : undefined;
}

// Lets every command complete its messages about wrong arguments.

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
