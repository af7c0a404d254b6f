// `libretto settings`: the commands about the settings that change at run time. A change takes effect at once, also in
// a running server.

import type { JsonValue } from '../../../build/contract/json.ts';
import { parseSettingKey, settingKeys, type SettingKey } from '../../../proxy/settings/definitions.ts';
import {
  getSettings,
  patchOf,
  settingViews,
  updateSettings,
  type SettingServices,
} from '../../../proxy/settings/operations.ts';
import type { SettingView } from '../../../proxy/settings/settings.ts';
import { composeSettings } from '../../compose/settings.ts';
import { groupExamples, settingNames, settings } from '../../config/settings.ts';
import { formatTable } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { nearest } from '../../text/suggest.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';

const noun: Noun<SettingServices> = {
  name: 'settings',
  sentence: (key, fault) => `${key} ${fault}.`,
  compose: ({ config, state }, context) => ({ services: { settings: composeSettings(config, context, state) } }),
};

export const list = operationCommand(noun, async ({ call, print }) =>
  print({ settings: settingViews(await call(getSettings, {})) }, describe),
);

export const set = operationCommand(noun, (command) => change(command, valueOf(command.operands[1] ?? '')), {
  makes: true,
});

/** The value of libretto.json or the default counts again. A repeated call changes nothing. */
export const unset = operationCommand(noun, (command) => change(command, null), { changes: true });

async function change(
  { operands: [name = ''], call, report }: OperationCommand<SettingServices>,
  value: JsonValue,
): Promise<void> {
  const key = settingKeyOf(name);
  const views = settingViews(await call(updateSettings, patchOf([[key, value]])));
  report({ settings: views.filter((view) => view.key === key) }, describe);
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

/** Throws UsageError for a key that is none. */
function settingKeyOf(text: string): SettingKey {
  const key = parseSettingKey(text);
  if (key !== undefined) return key;
  const inFile = settingNames.map((name) => settings[name].key).find((known) => known === text);
  if (inFile !== undefined) throw new UsageError(`${inFile} is set in libretto.json, and not here${exampleOf(inFile)}`);
  const meant = nearest(text, new Set(settingKeys));
  throw new UsageError(
    `${JSON.stringify(text.slice(0, 80))} is not a setting that can be changed ` +
      `here${meant === undefined ? '.' : `; did you mean ${meant}?`} \`libretto settings list\` shows them.`,
  );
}

/** A setting inside an object of libretto.json shows how that is written. */
function exampleOf(key: string): string {
  const [group = ''] = key.split('.');
  const example = group === key ? undefined : groupExamples[group];
  return example === undefined
    ? '. docs/reference/configuration.md describes it.'
    : `, for example: "${group}": ${example}. docs/reference/configuration.md describes it.`;
}

function describe({ settings: views }: { readonly settings: readonly SettingView[] }): readonly string[] {
  const rows = views.map(({ key, value, origin }) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
    origin,
  ]);
  return formatTable(['SETTING', 'VALUE', 'FROM'], rows);
}
