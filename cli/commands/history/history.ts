// `libretto history list`: exit code 0, also for an empty history.

import { readHistory } from '../../../build/history/read-history.ts';
import { changesIn, countsOf, summaryOf } from '../../../build/history/publication-summary.ts';
import type { PublicationRecord } from '../../../build/history/record.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import type { CommandInput } from '../../io/command.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout } = context;
  const { data } = await readDataFolder(context, flags, 'tree');
  const records = await readHistory(createDiskOutput(data.value));
  if (flags['json'] === true)
    printJson(stdout, {
      publications: records.map((record) => ({ ...summaryOf(record), packages: changesIn(record, record.packages) })),
    });
  else if (records.length === 0) printLines(stdout, ['No publication is recorded yet.']);
  else
    printLines(
      stdout,
      formatTable(['SERIAL', 'PUBLISHED', 'ADDED', 'CHANGED', 'WITHDRAWN', 'PACKAGES', 'BY'], records.map(rowOf)),
    );
  return 0;
}

function rowOf(record: PublicationRecord): readonly string[] {
  const { added, changed, withdrawn, packages } = countsOf(record);
  return [
    record.serial,
    `${record.published_at.slice(0, 19)}Z`,
    added,
    changed,
    withdrawn,
    packages,
    whoOf(record),
  ].map(String);
}

function whoOf({ by, rollback_to: to }: PublicationRecord): string {
  const what = to === null ? by?.command : `rollback to ${to}`;
  return [by?.actor, what].filter((text) => text !== undefined).join(', ') || 'unknown';
}
