// `libretto prune`: exit code 0 whether anything was removed or not.

import { fullDisk, storageFaultOf } from '../../../build/contract/storage-fault.ts';
import { StorageError } from '../../../build/output/storage-error.ts';
import { prune, type PruneReport, type PruneRequest } from '../../../build/prune/prune.ts';
import type { UnusedObjects } from '../../../build/store/unused-objects.ts';
import { outputStore } from '../../data-folder/output-store.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines } from '../../io/output.ts';
import { fullDiskAdvice } from '../../text/full-disk-advice.ts';
import type { CommandInput } from '../../io/command.ts';
import { parseSpan } from '../../config/span.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout, actor, now } = context;
  const config = await readDataFolder(context, flags, 'all', 'change');
  const request = {
    dataDirectory: config.data.value,
    output: outputStore(config, context),
    keepForMs: parseSpan('--keep-for', flags['keepFor']),
    dryRun: flags['dryRun'] === true,
    actor,
  };
  const report = await prune(request, now).catch((error: unknown) => Promise.reject(explained(error)));
  const unused = await pruneStore(request, now);
  if (flags['json'] === true) printJson(stdout, { ...report, ...(unused && { unused_objects: unused }) });
  else printLines(request.dryRun ? stdout : context.summary, [...describe(report), ...describeUnused(unused, request)]);
  return 0;
}

/** undefined: the data folder has the tree. */
async function pruneStore(
  { dataDirectory, output, dryRun }: PruneRequest,
  now: () => Date,
): Promise<UnusedObjects | undefined> {
  if (output === undefined) return undefined;
  const { leastAgeMs } = await import('../../../build/store/unused-objects.ts');
  const { removeUnusedObjects } = await import('../../../build/store/change-tree.ts');
  return removeUnusedObjects(
    dataDirectory,
    { output, now, waitMs: 0 },
    { uploadedBefore: now().getTime() - leastAgeMs, dryRun },
  );
}

function describeUnused(unused: UnusedObjects | undefined, { dryRun }: PruneRequest): readonly string[] {
  if (unused === undefined || unused.objects === 0) return [];
  const what = `${counted(unused.objects, 'object')} of former publications (${megabytes(unused.bytes)})`;
  return [`${dryRun ? 'Would remove' : 'Removed'} ${what} from the store.`];
}

/** `prune` writes its lock and the new index files before it removes anything. */
function explained(error: unknown): unknown {
  if (!(error instanceof StorageError) || storageFaultOf(error) !== 'full') return error;
  return new StorageError(
    error.path,
    new Error(`${fullDisk} \`prune\` writes a few small files before it removes any. ${fullDiskAdvice}`, {
      cause: error,
    }),
  );
}

function describe({ dry_run: dryRun, removed, files, freed_bytes: freed, kept }: PruneReport): readonly string[] {
  const what =
    `${counted(removed.length, 'content')} that nothing names any more (${counted(files, 'file')}, ` +
    `${megabytes(freed)})`;
  return [
    ...(removed.length === 0
      ? ['There is nothing to remove.']
      : [dryRun ? `Would remove ${what}:` : `Removed ${what}:`]),
    ...firstOf(
      removed.map(
        ({ name, version, reference, state, since }) =>
          `  ${name} ${version} (${reference.slice(0, 12)}), ${state} since ${since}`,
      ),
      40,
    ),
    ...(kept.recent + kept.recorded === 0
      ? []
      : [
          `Kept, although no longer published: ${counted(kept.recent, 'content')} within the time of ` +
            `--keep-for, ${kept.recorded} that a rollback may need.`,
        ]),
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 2 : 0)} MB`;
}
