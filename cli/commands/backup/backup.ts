// `libretto backup`: copies everything that a registry needs for a restore.

import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';

import { writeBackup } from '../../backup/write-backup.ts';
import type { CommandInput } from '../../io/command.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { openStateIfAny } from '../../state/open-state.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { waitLine } from '../../io/progress.ts';
import { version } from '../../io/version.ts';
import { assertWholeState } from '../../state/verify-state.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, summary, now, randomBytes } = context;
  const config = await readDataFolder(context, flags, 'all');
  const target = resolve(workingDirectory, operands[0] ?? '');
  await assertWholeState(config);
  // checks a state in the data folder too: a missing state would make the backup useless
  const state = await openStateIfAny(config);
  const sharedState = config.state.value === undefined ? undefined : state;
  if (sharedState === undefined) await state?.close();
  const { files, serial, created_at } = await writeBackup({
    data: config.data.value,
    mirroredArchives: flags['mirror'] === true,
    sharedState,
    target,
    version,
    now,
    randomBytes,
    progress: waitLine(context.remarks),
    begun: (partial) => removeWhenStopped(partial, context),
  }).finally(() => sharedState?.close());
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (flags['json'] === true) printJson(stdout, { directory: target, created_at, serial, files: files.length, bytes });
  else
    printLines(summary, [
      `Backed up ${counted(files.length, 'file')} (${bytes} bytes) to ${target}: ` +
        `${serial === 0 ? 'nothing published yet' : `publication ${serial}`}. The backup contains the keys: ` +
        `keep it safe.`,
    ]);
  return 0;
}

/** Removes an incomplete backup, because it contains keys. */
function removeWhenStopped(partial: string, { onSignal, exitNow }: Context): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    onSignal(name, () => {
      rmSync(partial, { recursive: true, force: true });
      exitNow(128 + constants.signals[name]);
    });
  }
}
