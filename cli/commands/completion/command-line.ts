// Reads an unfinished command line with the program's own declarations: which command, option or value the last word
// begins. Pure.

import type { Argument, Command, Option } from 'commander';

export interface Unfinished {
  readonly expected: Expected;
  /** the part of the last word that candidates replace */
  readonly word: string;
  /** the part of the last word that stays before each candidate, such as `--data=` or `-d` */
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
  const { option, lead, value } = line.assigned(last) ?? { lead: '', value: last };
  return {
    expected: option === undefined ? line.expects(last) : { kind: 'value', command: line.command, of: option },
    word: value,
    lead,
    flags: line.flags,
    operands: line.operands,
  };
}

/** A word that holds an option and its value. */
interface Assigned {
  readonly option: Option;
  /** the part before the value */
  readonly lead: string;
  readonly value: string;
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

  /** `--data=var`, `-dvar` or `-qdvar`; undefined for any other word */
  assigned(word: string): Assigned | undefined {
    if (this.endsOptions || (this.#pending !== undefined && this.#takes(this.#pending, word))) return undefined;
    const [, name, value = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined) {
      const option = this.find(name);
      return option === undefined ? undefined : { option, lead: `${name}=`, value };
    }
    if (!/^-[^-]/.test(word)) return undefined;
    for (let end = 2; end < word.length; end += 1) {
      const option = this.find(`-${word[end - 1] ?? ''}`);
      if (option === undefined) return undefined;
      if (option.required || option.optional) return { option, lead: word.slice(0, end), value: word.slice(end) };
    }
    return undefined;
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

  /** `--data`, `--data=var`, `-d`, `-dvar`, or several letters: `-qd` */
  #addOption(word: string): void {
    const assigned = this.assigned(word);
    const option = assigned?.option ?? this.find(word.startsWith('--') ? word : `-${word.at(-1) ?? ''}`);
    if (option === undefined) return;
    this.#given.add(option.attributeName());
    if (assigned !== undefined || !(option.required || option.optional))
      this.flags[option.attributeName()] = assigned?.value ?? true;
    else this.#pending = option;
  }
}
