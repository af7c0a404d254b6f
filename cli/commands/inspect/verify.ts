// `libretto verify`: exit code 0 when the tree holds what it names, 1 when it does not.

import { verifyTree } from '../../../build/inspect/verify.ts';
import { loadConfig } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines } from '../../io/output.ts';
import type { Given } from '../../io/command.ts';

export async function run(context: Context, { flags }: Given): Promise<number> {
  const { environment, workingDirectory, stdout, stderr } = context;
  const { data } = await loadConfig({ flags, environment, workingDirectory });
  const report = await verifyTree(data.value, { fast: flags['fast'] === true });
  const { checked, faults, ok, same_files: same, notices } = report;
  if (flags['json'] === true)
    printJson(stdout, {
      ...report,
      faults: faults.map(({ code, path, name = null, version = null, message }) => ({
        code,
        path,
        name,
        version,
        message,
      })),
    });
  else
    printLines(stdout, [
      `Checked ${counted(checked.packages, 'package')}, ${counted(checked.versions, 'version')}, ` +
        `${counted(checked.archives, 'archive')}: ` +
        `${ok ? 'all as published.' : `${counted(faults.length, 'fault')}.`}`,
    ]);
  printLines(
    stderr,
    firstOf(
      faults.map(({ code, path, message }) => `  ${path}: ${message} [${code}]`),
      40,
    ),
  );
  if (same.length > 0)
    printLines(stderr, [
      'These have the files of a purged version, and stay:',
      ...firstOf(
        same.map(({ message }) => `  ${message}`),
        40,
      ),
    ]);
  printLines(
    stderr,
    notices.map(({ path, message }) => `Notice: ${path}: ${message}`),
  );
  return ok ? 0 : 1;
}
