// Reads an unfinished command line with the program's own declarations: which command, option or value the last word
// begins. Pure.

import type { Argument, Command, Option } from 'commander';

export interface Unfinished {
  readonly expected: Expected;
  /** the part of the last word that candidates replace */
  readonly word: string;
  /** the part of the last word that stays before each candidate, such as `--data=` */
  readonly lead: string;
  /** the values of finished options, by their camel-case names */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

export type Expected =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'option'; readonly command: Command; readonly given: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly command: Command; readonly of: Option | Argument }
  | { readonly kind: 'nothing' };

/** `words`: all words after `libretto`; the last one is unfinished, and empty after a space. */
export function readUnfinished(program: Command, words: readonly string[]): Unfinished {
  const line = new FinishedWords(program);
  for (const word of words.slice(0, -1)) line.add(word);
  const last = words.at(-1) ?? '';
  const [, assigned = '', value = ''] = (line.endsOptions ? null : /^(--[^=]+)=(.*)$/s.exec(last)) ?? [];
  const option = assigned === '' ? undefined : line.find(assigned);
  return {
    expected: option === undefined ? line.expects(last) : { kind: 'value', command: line.command, of: option },
    word: option === undefined ? last : value,
    lead: option === undefined ? '' : `${assigned}=`,
    flags: line.flags,
    operands: line.operands,
  };
}

class FinishedWords {
  command: Command;
  readonly flags: Record<string, unknown> = {};
  readonly operands: string[] = [];
  endsOptions = false;
  readonly #given = new Set<string>();
  #pending: Option | undefined;
  #asksForHelp = false;

  constructor(program: Command) {
    this.command = program;
  }

  add(word: string): void {
    const pending = this.#pending;
    if (pending !== undefined && this.#takes(pending, word)) {
      this.flags[pending.attributeName()] = word;
      if (!pending.variadic) this.#pending = undefined;
      return;
    }
    this.#pending = undefined;
    if (this.endsOptions || !/^-./s.test(word)) this.#addPlain(word);
    else if (word === '--') this.endsOptions = true;
    else this.#addOption(word);
  }

  expects(word: string): Expected {
    const { command } = this;
    if (this.#pending !== undefined && this.#takes(this.#pending, word))
      return { kind: 'value', command, of: this.#pending };
    if (!this.endsOptions && word.startsWith('-')) return { kind: 'option', command, given: this.#given };
    if (command.commands.length > 0 && this.operands.length === 0) return { kind: 'command', command };
    const { registeredArguments } = command;
    const of = registeredArguments[this.operands.length] ?? registeredArguments.findLast(({ variadic }) => variadic);
    return of === undefined || this.#asksForHelp ? { kind: 'nothing' } : { kind: 'value', command, of };
  }

  /** An option of the command, or of the commands above it. */
  find(name: string): Option | undefined {
    for (let command: Command | null = this.command; command !== null; command = command.parent) {
      const found = command.options.find(({ long, short }) => long === name || short === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** An option with a list or with an optional value leaves the next option alone. */
  #takes({ required, variadic }: Option, word: string): boolean {
    return (
      (required && !(variadic && this.flags[this.#pending?.attributeName() ?? ''] !== undefined)) ||
      !word.startsWith('-')
    );
  }

  #addPlain(word: string): void {
    const child = this.operands.length > 0 ? undefined : this.command.commands.find((one) => one.name() === word);
    if (word === 'help' && this.command.commands.length > 0) this.#asksForHelp = true;
    else if (child !== undefined) this.command = child;
    else this.operands.push(word);
  }

  /** `--data`, `--data=var`, `-d`, or several letters: `-qd` */
  #addOption(word: string): void {
    const [name = '', value] = word.startsWith('--') ? word.split(/=(.*)/s) : [`-${word.at(-1) ?? ''}`];
    const option = this.find(name);
    if (option === undefined) return;
    this.#given.add(option.attributeName());
    const takesValue = option.required || option.optional;
    if (value !== undefined || !takesValue) this.flags[option.attributeName()] = value ?? true;
    else this.#pending = option;
  }
}
