// `libretto settings set KEY VALUE`: takes effect immediately, in a running server too.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runSettingsCommand, settingKeyOf } from './settings-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const [name = '', text = ''] = given.operands;
  const key = settingKeyOf(name);
  return runSettingsCommand(
    context,
    given,
    async (settings) =>
      (await settings.update({ [key]: valueOf(text) }, context.actor)).filter((view) => view.key === key),
    { makes: true },
  );
}

/** Parses a number, true, false or a list as JSON; all other input is text. */
function valueOf(text: string): JsonValue {
  if (!/^(?:-?\d|true$|false$|\[)/.test(text)) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text; // the setting itself reports the allowed values
  }
}
