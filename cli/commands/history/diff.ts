// `libretto history diff`: exit code 0, whether anything differs or not; 2 if a publication is not recorded.

import { netChanges } from '../../../build/history/net-changes.ts';
import { presentSerial, recordsSince } from '../../../build/history/read-history.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { changesDocument, describeChanges } from '../../text/net-changes-text.ts';
import { shownChanges } from '../../builds/shown-sources.ts';
import type { CommandInput } from '../../io/command.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printLines } from '../../io/output.ts';
import { parseSerial } from '../../config/serial.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { stdout } = context;
  const { data } = await readDataFolder(context, flags, 'tree');
  const output = createDiskOutput(data.value);
  const from = parseSerial(operands[0] ?? '');
  const to = operands[1] === undefined ? await presentSerial(output) : parseSerial(operands[1]);
  const [first, last] = from < to ? [from, to] : [to, from];
  // fails unless both publications exist
  await recordsSince(output, last);
  const records = (await recordsSince(output, first)).filter(({ serial }) => serial <= last);
  const changes = netChanges(records, from > to);
  if (flags['json'] === true) printJson(stdout, { from, to, ...changesDocument(changes) });
  else if (changes.versions.length + changes.metadata.length === 0)
    printLines(stdout, [`Publications ${from} and ${to} do not differ.`]);
  else
    printChanges(stdout, [`From publication ${from} to ${to}:`, ...describeChanges(shownChanges(changes, data.value))]);
  return 0;
}
