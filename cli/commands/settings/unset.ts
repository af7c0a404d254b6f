// `libretto settings unset KEY`: restores the value of libretto.json or the default. A repeated call changes nothing.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { runSettingsCommand, settingKeyOf } from './settings-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const key = settingKeyOf(given.operands[0] ?? '');
  return runSettingsCommand(
    context,
    given,
    async (settings) => (await settings.update({ [key]: null }, context.actor)).filter((view) => view.key === key),
    { changes: true },
  );
}
