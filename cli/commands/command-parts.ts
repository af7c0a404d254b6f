// Parts that the declarations of all commands share: flags of settings, examples below the help, and the way to the
// module of a command.

import type { Command } from 'commander';

import { painted } from '../io/color.ts';
import type { CommandInput, Run } from '../io/command.ts';
import type { Context } from '../io/context.ts';
import { UsageError } from '../io/usage-error.ts';
import type { Setting } from '../config/setting.ts';
import { settings, type SettingName } from '../config/settings.ts';

/** Lets a command run the module that `load` brings, only when it is called. */
export type Wire = (command: Command, load: () => Promise<CommandModule>) => void;

export interface CommandModule {
  readonly run: Run;
  /** true: it publishes, so the catalogue of the setting `site` is written behind it */
  readonly publishes?: true;
}

/** The flags of these settings, and the one that names the configuration file; may be called again for more. */
export function withSettings(command: Command, ...names: readonly SettingName[]): Command {
  for (const name of names) addSetting(command, name, settings[name].purpose);
  return command.options.some(({ long }) => long === '--config')
    ? command
    : command.option('-c, --config <file>', 'the configuration file, instead of ./libretto.json (LIBRETTO_CONFIG)');
}

/** The flag of a setting that means something else for this command than for the server. */
export function addSetting(command: Command, name: SettingName, purpose: string): Command {
  const { flag, short, variable }: Setting<unknown> = settings[name];
  if (flag === undefined) return command;
  return command.option(
    `${short === undefined ? '' : `${short}, `}${flag}`,
    variable === undefined ? purpose : `${purpose} (${variable})`,
  );
}

/** The actor of a command: the one for whom the server started it, if any. Throws UsageError for what is no actor. */
export function actorOf({ actor }: Pick<Context, 'actor'>, flags: CommandInput['flags']): Context['actor'] {
  const other = flags['onBehalfOf'];
  if (other === undefined) return actor;
  if (typeof other !== 'string' || !/^(?:cli|user|token|publisher|system):[^\s\p{C}]{1,200}$/u.test(other))
    throw new UsageError('--on-behalf-of takes an actor of the audit log, such as user:usr_9QwErTy04fHj2kLm.');
  return other as Context['actor'];
}

/** The heading of a part of the help; commander removes the style where the output has no colours. */
export function heading(title: string): string {
  return painted({ colors: true }, 'bold', title);
}

export function example(...lines: readonly string[]): string {
  return `\n${heading(lines.length === 1 ? 'Example:' : 'Examples:')}\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** `token create` */
export function pathOf(command: Command): string {
  const parent = command.parent;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
