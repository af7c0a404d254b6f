// `libretto package purged`: the tombstones of purged versions, with the words of whoever purged them where this registry's state has them.

import { createDiskOutput } from '../../build/output/disk-output.ts';
import { listPurged } from '../../build/purge/purged.ts';
import { noteTombstones, type NotedTombstone } from '../../proxy/packages/purges.ts';
import type { Given } from '../command.ts';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { openStateIfAny } from '../open-state.ts';
import { formatTable, printJson, printLines } from '../output.ts';

export async function run(context: Context, { flags }: Given): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const config = await loadConfig({ flags, environment, workingDirectory });
  const rows = await listPurged(createDiskOutput(config.data.value));
  const state = await openStateIfAny(config);
  const noted = await noteTombstones(state, rows).finally(() => state?.close());
  if (flags['json'] === true) printJson(stdout, { format: 1, versions: noted });
  else printLines(stdout, noted.length === 0 ? ['No version was purged.'] : table(noted));
  return 0;
}

function table(rows: readonly NotedTombstone[]): readonly string[] {
  return formatTable(['PACKAGE', 'VERSION', 'REFERENCE', 'REASON', 'SINCE', 'BY', 'NOTE'], rows.map(({ name, version, reference, reason, since, purged_by: by, note }) => [name, version, reference.slice(0, 12), reason, since, by ?? '', note ?? '']));
}
