// `libretto mirror list`: every archive that was accepted of another registry.

import { mirroredNames } from '../../../proxy/mirror/archives/mirror-inventory.ts';
import type { ArchiveRecord } from '../../../proxy/mirror/archives/archive-record.ts';
import { runMirrorCommand } from '../../mirror/mirror-command.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { firstOf, formatTable, printJson, printLines } from '../../io/output.ts';

export async function run(context: Context, given: Given): Promise<number> {
  return runMirrorCommand(context, given, async ({ mirror, folder }) => {
    const found: ArchiveRecord[] = [];
    const unreadable: { path: string; message: string }[] = [];
    for await (const name of mirroredNames(folder)) {
      const kept = await mirror.shelf.inspect(name);
      found.push(...kept.records);
      unreadable.push(...kept.unreadable.map(({ path, message }) => ({ path, message })));
    }
    const archives = found.map(({ name, version, reference, shasum, size, from, fetchedAt }) => ({
      name,
      version,
      reference: reference === '' ? null : reference,
      shasum,
      size,
      from,
      fetched_at: fetchedAt,
    }));
    if (given.flags['json'] === true) printJson(context.stdout, { archives, unreadable });
    else
      printLines(
        context.stdout,
        archives.length === 0
          ? [unreadable.length === 0 ? 'Nothing was mirrored yet.' : 'There is nothing that can be listed.']
          : formatTable(
              ['PACKAGE', 'VERSION', 'BYTES', 'FETCHED', 'FROM'],
              archives.map(({ name, version, size, fetched_at, from }) => [
                name,
                version,
                String(size),
                fetched_at.slice(0, 19),
                from,
              ]),
            ),
      );
    printLines(
      context.stderr,
      firstOf(
        unreadable.map(({ message }) => `Not listed: ${message}.`),
        40,
      ),
    );
    return 0;
  });
}
