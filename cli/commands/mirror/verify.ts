// `libretto mirror verify`: exit code 0 when every archive is what was accepted, 1 when one is not. What an upstream
// now says of a release differently is no fault here, since what was accepted is served on; it is told.

import { RegistryError } from '../../../build/contract/errors.ts';
import { verifyMirror } from '../../../proxy/mirror/archives/mirror-inventory.ts';
import { changedReleases, type ChangedRelease } from '../../mirror/changed-releases.ts';
import { runMirrorCommand, type MirrorWork } from '../../mirror/mirror-command.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines } from '../../io/output.ts';

export async function run(context: Context, given: Given): Promise<number> {
  return runMirrorCommand(context, given, async (work) => {
    const { mirror, folder } = work;
    let checked = 0;
    const found = await verifyMirror(folder, mirror.shelf, () => (checked += 1));
    const faults = found.archives.map(({ record: { name, version, shasum }, found: digest }) => ({
      name,
      version,
      shasum,
      found: digest ?? null,
    }));
    const unreadable = found.records.map(({ path, message }) => ({ path, message }));
    const changed = await changedOrUnknown(work, context);
    const ok = faults.length + unreadable.length === 0;
    if (given.flags['json'] === true) printJson(context.stdout, { ok, archives: checked, faults, unreadable, changed });
    else
      printLines(context.stdout, [
        `Checked ${counted(checked, 'archive')}: ` +
          `${ok ? 'all as accepted.' : `${counted(faults.length + unreadable.length, 'fault')}.${faults.length === 0 ? '' : ' Archives are fetched again on their next request, and must have the same bytes.'}`}`,
      ]);
    printLines(
      context.stderr,
      firstOf(
        faults.map(
          ({ name, version, shasum, found: digest }) =>
            `  ${name} ${version}: ` +
            `${digest === null ? 'the archive is missing' : `the archive has SHA-1 ${digest}, accepted was ${shasum}`}`,
        ),
        40,
      ),
    );
    printLines(
      context.stderr,
      firstOf(
        unreadable.map(({ message }) => `  ${message}.`),
        40,
      ),
    );
    printLines(
      context.stderr,
      firstOf(
        (changed ?? []).map(({ name, version, message }) => `  ALARM, ${name} ${version}: ${message}.`),
        40,
      ),
    );
    return ok ? 0 : 1;
  });
}

/** null where it is not known whose the names are. */
async function changedOrUnknown(work: MirrorWork, context: Context): Promise<readonly ChangedRelease[] | null> {
  try {
    return await changedReleases(work, context);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    printLines(context.stderr, [`Whether upstreams changed releases is not known: ${error.message}`]);
    return null;
  }
}
