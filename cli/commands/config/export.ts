// `libretto config export`: writes the settings, repositories, users and publishers to one file without secrets.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { storageFaultOf } from '../../../build/contract/storage-fault.ts';
import { StorageError } from '../../../build/output/storage-error.ts';
import { createDiskOutput } from '../../../build/output/disk-output.ts';
import { listPurged } from '../../../build/package/purged.ts';
import type { CommandInput } from '../../io/command.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import { formatConfig, type ConfigDocument } from '../../config-transfer/config-document.ts';
import { exportConfig } from '../../config-transfer/export-config.ts';
import type { Context } from '../../io/context.ts';
import { counted, printLines, printNotes } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, stderr, remarks } = context;
  const config = await readDataFolder(context, flags, 'state');
  const state = await openExistingState(config);
  const policyFile = config.policy.value;
  const purged = await listPurged(createDiskOutput(config.data.value));
  const document = await exportConfig(state, { purged, hasPolicyFile: policyFile !== undefined }).finally(() =>
    state.close(),
  );
  if (policyFile !== undefined)
    printNotes(stderr, [`The policy is the file ${policyFile}, so this export is without it. Copy that file too.`]);
  const text = formatConfig(document);
  if (flags['out'] === '-') {
    stdout.write(text);
    return 0;
  }
  const path = resolve(workingDirectory, String(flags['out']));
  writeNew(path, text);
  printLines(remarks, [
    `Wrote ${path}: ${counted(document.users.length, 'user')}, ${counted(document.tokens.length, 'token')} for ` +
      `information, repositories: ${document.repositories.length}${publishersIn(document)}.`,
  ]);
  return 0;
}

function publishersIn({ publishers = [] }: ConfigDocument): string {
  return publishers.length === 0 ? '' : `, trusted publishers: ${publishers.length}`;
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (storageFaultOf(error) !== undefined) throw new StorageError(path, error);
    const reason =
      error.code === 'EEXIST' ? 'exists already. Name another file with --out.' : `cannot be written: ${error.message}`;
    throw new UsageError(`${path} ${reason}`, { cause: error });
  }
}
