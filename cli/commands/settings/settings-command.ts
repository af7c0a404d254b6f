// The frame of each settings command: reads the configuration, opens the state, explains refusals, and prints the
// result.

import { RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parseSettingKey, settingKeys, type SettingKey } from '../../../proxy/settings/definitions.ts';
import type { Settings, SettingView } from '../../../proxy/settings/settings.ts';
import { groupExamples, settingNames, settings } from '../../config/settings.ts';
import type { CommandInput } from '../../io/command.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeSettings } from '../../compose/settings.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { nearest } from '../../text/suggest.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Runs `work` and shows the settings it gives. `opening`: as of openCommandState. */
export async function runSettingsCommand(
  context: Context,
  { flags, operands }: CommandInput,
  work: (settings: Settings) => Promise<readonly SettingView[]>,
  opening: Opening = {},
): Promise<number> {
  const { config, state: store } = await openCommandState(context, flags, opening);
  try {
    const views = await work(composeSettings(config, context, store));
    if (flags['json'] === true) printJson(context.stdout, { settings: views });
    else
      printLines(
        operands.length === 0 ? context.stdout : context.summary,
        formatTable(
          ['SETTING', 'VALUE', 'FROM'],
          views.map(({ key, value, origin }) => [key, textOf(value), origin]),
        ),
      );
    return 0;
  } catch (error) {
    throw error instanceof RegistryError && error.status < 500 ? asUsageError(error) : error;
  } finally {
    await store.close();
  }
}

/** Throws UsageError for a key that is none. */
export function settingKeyOf(text: string): SettingKey {
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

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function asUsageError(error: RegistryError): UsageError {
  const { issues } = error.details;
  const lines = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message }) => `${String(path)} ${String(message)}.`)
    : [];
  return new UsageError(lines.length === 0 ? error.message : lines.join('\n'), { cause: error });
}
