// `libretto mirror prune`: exit code 0 whether anything was removed or not.

import { pruneMirror } from '../../../proxy/mirror/archives/mirror-inventory.ts';
import { runMirrorCommand } from '../../mirror/mirror-command.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines } from '../../io/output.ts';
import { parseSpan } from '../../config/span.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  const keepDocumentsMs = parseSpan('--keep-for', flags['keepFor']);
  return runMirrorCommand(
    context,
    given,
    async ({ mirror, folder }) => {
      const dryRun = flags['dryRun'] === true;
      const removed = await pruneMirror({
        folder,
        archiveStore: mirror.archiveStore,
        keepDocumentsMs,
        dryRun,
        nowMs: context.now().getTime(),
      });
      const freed = removed.reduce((sum, { bytes }) => sum + bytes, 0);
      if (flags['json'] === true) printJson(context.stdout, { dry_run: dryRun, removed, freed_bytes: freed });
      else if (removed.length === 0)
        printLines(dryRun ? context.stdout : context.summary, ['There is nothing to remove.']);
      else
        printLines(dryRun ? context.stdout : context.summary, [
          `${dryRun ? 'Would remove' : 'Removed'} ${counted(removed.length, 'file')} ` +
            `(${(freed / 1_000_000).toFixed(2)} MB):`,
          ...firstOf(
            removed.map(({ path, kind }) => `  ${path} (${kind})`),
            40,
          ),
        ]);
      return 0;
    },
    { changes: true },
  );
}
