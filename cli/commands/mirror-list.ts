// `libretto mirror list`: every archive that was accepted of another registry.

import { mirroredNames } from '../../proxy/mirror/mirror-inventory.ts';
import type { ArchiveRecord } from '../../proxy/mirror/archive-record.ts';
import { runMirrorCommand } from '../mirror/mirror-command.ts';
import type { Given } from '../command.ts';
import type { Context } from '../context.ts';
import { formatTable, printJson, printLines } from '../output.ts';

export async function run(context: Context, given: Given): Promise<number> {
  return runMirrorCommand(context, given, async ({ mirror, folder }) => {
    const found: ArchiveRecord[] = [];
    for await (const name of mirroredNames(folder)) found.push(...(await mirror.shelf.records(name)));
    const archives = found.map(({ name, version, reference, shasum, size, from, fetchedAt }) => ({ name, version, reference: reference === '' ? null : reference, shasum, size, from, fetched_at: fetchedAt }));
    if (given.flags['json'] === true) printJson(context.stdout, { archives });
    else printLines(context.stdout, archives.length === 0 ? ['Nothing was mirrored yet.'] : formatTable(['PACKAGE', 'VERSION', 'BYTES', 'FETCHED', 'FROM'], archives.map(({ name, version, size, fetched_at, from }) => [name, version, String(size), fetched_at.slice(0, 19), from])));
    return 0;
  });
}
