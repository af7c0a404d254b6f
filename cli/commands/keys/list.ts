// `libretto keys list`: lists the keys and their lifetimes.

import { composeKeys } from '../../compose/keys.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { describeKeys, keyDocuments } from '../../text/key-text.ts';
import { printJson, printLines } from '../../io/output.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout, remarks, now } = context;
  const config = await readDataFolder(context, flags, 'state');
  const keys = keyDocuments(composeKeys(config, context).keys.list(), now().getTime());
  if (flags['json'] === true) printJson(stdout, { keys });
  else if (keys.length > 0) printLines(stdout, describeKeys(keys));
  else printLines(remarks, ['There is no key yet. Libretto creates each key when it is first needed.']);
  return 0;
}
