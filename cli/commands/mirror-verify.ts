// `libretto mirror verify`: exit code 0 when every archive is what was accepted, 1 when one is not.

import { verifyMirror } from '../../proxy/mirror/mirror-inventory.ts';
import { runMirrorCommand } from '../mirror/mirror-command.ts';
import type { Given } from '../command.ts';
import type { Context } from '../context.ts';
import { counted, firstOf, printJson, printLines } from '../output.ts';

export async function run(context: Context, given: Given): Promise<number> {
  return runMirrorCommand(context, given, async ({ mirror, folder }) => {
    let checked = 0;
    const found = await verifyMirror(folder, mirror.shelf, () => (checked += 1));
    const faults = found.map(({ record: { name, version, shasum }, found: digest }) => ({ name, version, shasum, found: digest ?? null }));
    if (given.flags['json'] === true) printJson(context.stdout, { ok: faults.length === 0, archives: checked, faults });
    else printLines(context.stdout, [`Checked ${counted(checked, 'archive')}: ${faults.length === 0 ? 'all as accepted.' : `${counted(faults.length, 'fault')}. They are fetched again when somebody asks for them, and have to be the same then.`}`]);
    printLines(context.stderr, firstOf(faults.map(({ name, version, shasum, found: digest }) => `  ${name} ${version}: ${digest === null ? 'the archive is missing' : `the archive has SHA-1 ${digest}, accepted was ${shasum}`}`), 40));
    return faults.length === 0 ? 0 : 1;
  });
}
