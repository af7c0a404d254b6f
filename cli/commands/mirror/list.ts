// `libretto mirror list`: lists all accepted archives of other registries.

import { mirroredNames } from '../../../proxy/mirror/archives/mirror-inventory.ts';
import type { ArchiveRecord } from '../../../proxy/mirror/archives/archive-record.ts';
import { runMirrorCommand, type MirrorWork } from '../../mirror/mirror-command.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { firstOf, formatTable, printJson, printLines, printProblems } from '../../io/output.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  return runMirrorCommand(context, given, async (work) => {
    const { archives, unreadable } = await readInventory(work);
    if (given.flags['json'] === true) printJson(context.stdout, { archives, unreadable });
    else printLines(context.stdout, describe(archives, unreadable.length));
    const faults = unreadable.map(({ message }) => `Not listed: ${message}.`);
    printProblems(context.stderr, firstOf(faults, 40));
    return 0;
  });
}

interface ListedArchive extends Pick<ArchiveRecord, 'name' | 'version' | 'shasum' | 'size' | 'from'> {
  readonly reference: string | null;
  readonly fetched_at: string;
}

interface Inventory {
  readonly archives: readonly ListedArchive[];
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
}

async function readInventory({ mirror, folder }: MirrorWork): Promise<Inventory> {
  const archives: ListedArchive[] = [];
  const unreadable: { path: string; message: string }[] = [];
  for await (const name of mirroredNames(folder)) {
    const accepted = await mirror.archiveStore.inspect(name);
    archives.push(...accepted.records.map(listed));
    unreadable.push(...accepted.unreadable.map(({ path, message }) => ({ path, message })));
  }
  return { archives, unreadable };
}

function listed({ name, version, reference, shasum, size, from, fetchedAt }: ArchiveRecord): ListedArchive {
  return {
    name,
    version,
    reference: reference === '' ? null : reference,
    shasum,
    size,
    from,
    fetched_at: fetchedAt,
  };
}

function describe(archives: readonly ListedArchive[], unreadable: number): readonly string[] {
  if (archives.length === 0)
    return [unreadable === 0 ? 'Nothing was mirrored yet.' : 'There is nothing that can be listed.'];
  return formatTable(
    ['PACKAGE', 'VERSION', 'BYTES', 'FETCHED', 'FROM'],
    archives.map(({ name, version, size, fetched_at, from }) => [
      name,
      version,
      String(size),
      fetched_at.slice(0, 19),
      from,
    ]),
  );
}
