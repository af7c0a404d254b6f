// `libretto package list --purged`: the tombstones of purged versions, with the admin's notes from the state. A
// tombstone prevents a version from being published again.

import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { listPurged } from '../../../build/package/purged.ts';
import { listPurgedVersions } from '../../../proxy/packages/purge-operations.ts';
import { showTombstone, type TombstoneDocument } from '../../../proxy/packages/purge-schema.ts';
import { noteTombstones } from '../../../proxy/packages/purges.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines } from '../../io/output.ts';
import { allPages } from '../../remote/all-pages.ts';
import { callRemotely } from '../../remote/call-remotely.ts';
import type { Remote } from '../../remote/remote.ts';
import { openStateIfAny } from '../../state/open-state.ts';

/** `remote` undefined: those of the data folder. Resolves with the exit code. */
export async function printPurged(
  context: Context,
  flags: CommandInput['flags'],
  remote: Remote | undefined,
): Promise<number> {
  const versions =
    remote === undefined
      ? await localTombstones(await readDataFolder(context, flags, 'all'))
      : await allPages((query) => callRemotely(remote, listPurgedVersions, query));
  if (flags['json'] === true) printJson(context.stdout, { format: 1, versions });
  else printLines(context.stdout, versions.length === 0 ? ['No version was purged.'] : table(versions));
  return 0;
}

export async function localTombstones(config: Config): Promise<readonly TombstoneDocument[]> {
  const rows = await listPurged(createDiskOutput(config.data.value));
  const state = await openStateIfAny(config);
  const noted = await noteTombstones(state, rows).finally(() => state?.close());
  return noted.map(showTombstone);
}

function table(rows: readonly TombstoneDocument[]): readonly string[] {
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
