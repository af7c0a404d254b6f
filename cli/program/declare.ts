// Commands as data: what `--help` says of each, its flags, and the module that runs it.

import { Option, type Command } from 'commander';
import type { SettingName } from '../config/settings.ts';
import { addSetting, example, withSettings, type CommandModule, type Wire } from '../commands/command-parts.ts';

/** What an option does. With more to say than its text: an object. */
export type OptionText =
  | string
  | {
      readonly text: string;
      readonly default?: string;
      readonly choices?: readonly string[];
      readonly required?: true;
      /** may be given more than once: all its values, in their order */
      readonly repeatable?: true;
      /** for the server's own processes: `--help` leaves it out */
      readonly hidden?: true;
    };

/** By flags, such as `--token-file <file>`, in the order of `--help`. */
export type Options = Readonly<Record<string, OptionText>>;

export interface Declaration {
  /** by name, such as `<id>` or `[version]`, in their order */
  readonly operands?: Readonly<Record<string, string>>;
  readonly summary?: string;
  readonly description: string;
  /** the settings whose flags it has, before its own options */
  readonly settings?: readonly SettingName[];
  /** the settings that mean something else for this command than for the server */
  readonly otherSettings?: Readonly<Partial<Record<SettingName, string>>>;
  readonly options?: Options;
  /** the settings whose flags it has behind its own options */
  readonly laterSettings?: readonly SettingName[];
  /**
   * Of commands about a registry, which get the flags that name it, and `--json`. `state`: it needs a data folder.
   * Others call operations, also remotely. `changes`: also with a token. `session`: the person confirms it in the console
   * of a remote registry.
   */
  readonly registry?: 'state' | 'reads' | 'changes' | 'session';
  readonly examples: readonly string[];
  /** of the commands of a group: the one that runs for the group alone */
  readonly isDefault?: true;
  /** default: the export of the group's module with the name of the command */
  readonly load?: Parameters<Wire>[1];
}

/** Commands by their names, in the order of `--help`. */
export type Declarations = Readonly<Record<string, Declaration>>;

/** `add-member` → `addMember` */
type ExportName<Name> = Name extends `${infer First}-${infer Second}` ? `${First}${Capitalize<Second>}` : Name;

/** What a module exports for those of the commands that do not load another one. */
type ModuleOf<Commands extends Declarations> = {
  readonly [
    Name in keyof Commands as Commands[Name] extends { readonly load: unknown } ? never : ExportName<Name>
  ]: CommandModule;
};

/** The function that adds these commands to the program. */
export function declaring(commands: Readonly<Record<string, Required<Pick<Declaration, 'load'>> & Declaration>>) {
  return (program: Command, wire: Wire): void => declare(program, wire, commands);
}

/** Adds these commands to a group, or to the program. `module`: of those that do not load another one. */
export function declare(group: Command, wire: Wire, commands: Declarations, module?: () => Promise<object>): void {
  for (const [name, declaration] of Object.entries(commands)) {
    const { summary = '', description, examples, isDefault = false } = declaration;
    const command = group.command(name, { isDefault }).summary(summary).description(description);
    for (const [operand, text] of Object.entries(declaration.operands ?? {})) command.argument(operand, text);
    addOptions(command, declaration);
    command.addHelpText('after', example(...examples));
    wire(command, declaration.load ?? (async () => exported(await module?.(), name)));
  }
}

interface GroupTexts {
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** Where its commands are, unless each of them loads another module. */
type Loaded<Commands extends Declarations> = keyof ModuleOf<Commands> extends never
  ? { readonly load?: undefined }
  : { readonly load: () => Promise<ModuleOf<Commands>> };

/** The function that adds a group of commands, such as `libretto team`, to the program. */
export function declaringGroup<Commands extends Declarations>(
  name: string,
  commands: Commands,
  { load, ...texts }: GroupTexts & Loaded<Commands>,
): (program: Command, wire: Wire) => void {
  return (program, wire) => {
    const group = program
      .command(name)
      .summary(texts.summary)
      .description(texts.description)
      .showHelpAfterError(`Run \`libretto ${name} --help\` to see the commands.`)
      .addHelpText('after', example(...texts.examples));
    declare(group, wire, commands, load);
  };
}

function exported(module: object | undefined, name: string): CommandModule {
  const key = name.replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
  return (module as Readonly<Record<string, CommandModule>>)[key] as CommandModule;
}

function addOptions(
  command: Command,
  { settings, otherSettings, options, laterSettings, registry }: Declaration,
): void {
  if (settings !== undefined) withSettings(command, ...settings);
  for (const [name, purpose] of Object.entries(otherSettings ?? {})) addSetting(command, name as SettingName, purpose);
  addAll(command, options);
  if (laterSettings !== undefined) withSettings(command, ...laterSettings);
  if (registry === undefined) return;
  withSettings(command, 'data', 'state');
  addAll(command, {
    '--json': 'print one JSON document',
    ...(registry === 'state' ? {} : remoteOptions),
    ...(registry === 'session' ? { '--open': 'with --url: open the form of the console that confirms it' } : {}),
  });
}

function addAll(command: Command, options: Options = {}): void {
  for (const [flags, text] of Object.entries(options)) command.addOption(optionOf(flags, text));
}

/** For a command that works on a data folder or on a remote registry. */
export const remoteOptions: Options = {
  '--url <url>': 'the address of a remote registry, instead of a data folder (LIBRETTO_URL)',
  '--token <token>': 'a token of the remote registry (better: LIBRETTO_TOKEN)',
  '--insecure-http': 'send the token without TLS to an http:// address of another machine',
};

/** For a command that the server starts: it prints refusals as a document, and audits nothing. */
export const childOption: Options = { '--child': { text: 'run as the server does', hidden: true } };

/** For a command that the server starts: who asked for it, in the form of the audit log. */
export const onBehalfOption: Options = { '--on-behalf-of <actor>': { text: 'whom the history names', hidden: true } };

function optionOf(flags: string, given: OptionText): Option {
  if (typeof given === 'string') return new Option(flags, given);
  const option = new Option(flags, given.text).makeOptionMandatory(given.required === true);
  if (given.default !== undefined) option.default(given.default);
  if (given.choices !== undefined) option.choices(given.choices);
  if (given.repeatable === true) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  return given.hidden === true ? option.hideHelp() : option;
}
