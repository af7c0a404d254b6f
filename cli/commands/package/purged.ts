// `libretto package purged`: the tombstones of purged versions, with the words of whoever purged them where this
// registry's state has them. With --recover it puts a list together again that was damaged or lost.

import { resolve } from 'node:path';

import type { AnnouncedPurge } from '../../../build/contract/announced-lists.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import type { Recovery } from '../../../build/purge/adopt-tombstones.ts';
import { listPurged } from '../../../build/package/purged.ts';
import { noteTombstones, type NotedTombstone } from '../../../proxy/packages/purges.ts';
import type { Given } from '../../io/command.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { counted, firstOf, formatTable, printJson, printLines } from '../../io/output.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { readTombstones, recoverHere } from '../../purge/tombstone-file.ts';

export async function run(context: Context, { flags }: Given): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const config = await loadConfig({ flags, environment, workingDirectory });
  const recovery = flags['recover'] === undefined ? undefined : await recover(flags['recover'], config, context);
  const rows = await listPurged(createDiskOutput(config.data.value));
  const state = await openStateIfAny(config);
  const noted = await noteTombstones(state, rows).finally(() => state?.close());
  if (flags['json'] === true)
    printJson(stdout, { format: 1, versions: noted, ...(recovery === undefined ? {} : { recovery: shown(recovery) }) });
  else if (recovery !== undefined) printLines(stdout, describe(recovery, noted.length));
  else printLines(stdout, noted.length === 0 ? ['No version was purged.'] : table(noted));
  return 0;
}

/** `from`: true, or the file that was named. Throws UsageError. */
async function recover(from: unknown, config: Config, context: Context): Promise<Recovery> {
  const rows = typeof from === 'string' ? readTombstones(resolve(context.workingDirectory, from)) : [];
  return recoverHere(rows, await withStateSettings(config, context), context);
}

/** Dropped rows are whole: a file of them recovers those that are right. */
function shown({ added, replaced, dropped, doubtful }: Recovery): JsonObject {
  return {
    added,
    replaced: replaced.map((row) => ({ ...row })),
    dropped: dropped.map((row) => ({ ...row, content: row.content === null ? null : { ...row.content } })),
    doubtful: doubtful.map(({ name, version, version_normalized, reference }) => ({
      name,
      version,
      version_normalized,
      reference,
    })),
  };
}

function describe({ added, replaced, dropped, doubtful }: Recovery, count: number): readonly string[] {
  return [
    `The list of purged versions is whole: ${counted(count, 'tombstone')}, ${added} of them added now.`,
    ...section(
      'Of these the label and the reference alone are known. Their files under another label are not kept out any more:',
      replaced,
    ),
    ...section(
      'The list was edited. These rows were dropped, since neither the announcement nor a purge on record nor a file that was named has them. If one was purged, name a file that has it with --recover, or purge it again:',
      dropped,
    ),
    ...section(
      'Digests, reason and date of these rows come from the edited list, and nothing confirms them:',
      doubtful,
    ),
  ];
}

function section(title: string, rows: readonly AnnouncedPurge[]): readonly string[] {
  if (rows.length === 0) return [];
  const lines = rows.map(
    ({ name, version, reference }) => `  ${name} ${version}${reference === '' ? '' : ` (${reference.slice(0, 12)})`}`,
  );
  return [title, ...firstOf(lines, mostShown)];
}

const mostShown = 40;

function table(rows: readonly NotedTombstone[]): readonly string[] {
  return formatTable(
    ['PACKAGE', 'VERSION', 'REFERENCE', 'REASON', 'SINCE', 'BY', 'NOTE'],
    rows.map(({ name, version, reference, reason, since, purged_by: by, note }) => [
      name,
      version,
      reference.slice(0, 12),
      reason,
      since,
      by ?? '',
      note ?? '',
    ]),
  );
}
