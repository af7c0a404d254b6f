// Publishes a tree that was built elsewhere and copied here. The build reads that one source; all others stay as
// published. Versions purged in the received tree are purged here too (I21).

import { changeTree } from '../store/change-tree.ts';
import { buildHoldingLock } from '../build.ts';
import type { BuildEffects, BuildRequest } from '../scan/build-request.ts';
import { inDataFolder } from '../sources/data-folder.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import { decideTombstones, tombstoneNotices } from '../purge/received-tombstones.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { BuildReport } from '../contract/build-report.ts';
import { readReceivedTombstones } from '../sources/received/received-tree.ts';
import { receivedSpec, type ReceivedPlace } from '../sources/spec.ts';

/**
 * How long to wait for another build's lock, milliseconds: trees may come from several jobs that end at the same time.
 */
const waitMs = 60_000;

/**
 * `request` has the settings of this registry; its sources are ignored. Throws BuildRefused for an incomplete tree,
 * before the build publishes; BuildBusy and StorageError as a build does.
 */
export async function receiveTree(
  received: ReceivedPlace,
  request: BuildRequest,
  effects: BuildEffects,
): Promise<BuildReport> {
  refuseBadName(received.name);
  return inDataFolder(request.dataDirectory, (dataDirectory) =>
    receiveInto({ ...request, dataDirectory }, received, effects),
  );
}

async function receiveInto(
  request: BuildRequest,
  received: ReceivedPlace,
  effects: BuildEffects,
): Promise<BuildReport> {
  const { dataDirectory } = request;
  return changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, async () => {
    const spec = receivedSpec(received);
    const tombstones = await decideTombstones(
      received.tree === undefined ? [] : await readReceivedTombstones(received.tree),
      spec,
      createDiskOutput(dataDirectory),
      effects.now(),
    );
    // omits the configured sources: a complete build withdraws those that left libretto.json
    const report = await buildHoldingLock(
      {
        ...request,
        received,
        alone: true,
        purge: tombstones.adopted,
        arguments: [],
        configured: undefined,
        fallback: undefined,
        forget: [],
      },
      effects,
    );
    const notices = tombstoneNotices(tombstones, report.published).map((message) => ({
      source: spec.location,
      message,
    }));
    return { ...report, notices: [...report.notices, ...notices] };
  });
}

/** Throws BuildRefused for a name that is no name of a tree, and so no name of a folder. */
export function refuseBadName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return;
  throw new BuildRefused(
    `${JSON.stringify(name)} cannot be the name of the tree here. A name has up to 64 letters, digits, ".", "_" ` +
      `and "-", and begins with a letter or digit. ` +
      'Choose a name with --as, and always use the same name: it identifies the versions of this tree.',
  );
}
