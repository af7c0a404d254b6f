// `libretto settings list`: every setting that can be changed at run time, and the origin of its value.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runSettingsCommand } from './settings-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runSettingsCommand(context, given, (settings) => settings.describe());
}
