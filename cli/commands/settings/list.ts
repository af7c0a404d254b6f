// `libretto settings list`: every setting that can be changed while the registry runs, and where its value comes from.

import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runSettingsCommand } from './settings-command.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runSettingsCommand(context, given, (settings) => settings.describe(), false);
}
