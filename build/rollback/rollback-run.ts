// A rollback runs as a build without sources: this file takes the build lock, makes the run and publishes it.

import { documentSettings } from '../documents/document-settings.ts';
import { standardKeep } from '../history/keep.ts';
import { pruneHistory } from '../history/prune-history.ts';
import { digestSettings } from '../memory/settings-digest.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { changeTree } from '../store/change-tree.ts';
import { readPending } from '../package/pending-publications.ts';
import { nextAdvisories } from '../publish/next-advisories.ts';
import type { PackagesOutcome } from '../publish/outcome.ts';
import { readPresentLists } from '../publish/read-lists.ts';
import { publish } from '../publish/publish.ts';
import type { PublishContext } from '../publish/run.ts';
import type { BuildEffects, BuildRequest } from '../scan/build-request.ts';
import { leaveAll } from '../scan/choose-sources.ts';
import { withinHeapGrowth } from '../shared/process/heap-growth.ts';
import { openDataFolder } from '../sources/data-folder.ts';

/** The longest wait for a build in progress, in milliseconds. */
const waitMs = 60_000;

export interface RollbackPlace {
  readonly request: BuildRequest;
  readonly effects: BuildEffects;
  readonly output: Output;
  /** the real path */
  readonly dataDirectory: string;
}

/** Runs `work` under the build lock, and deletes staged files before and after it. */
export async function holdingLock<Result>(
  request: BuildRequest,
  effects: BuildEffects,
  work: (place: RollbackPlace) => Promise<Result>,
): Promise<Result> {
  const dataDirectory = await openDataFolder(request.dataDirectory);
  return changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, async () => {
    const output = createDiskOutput(dataDirectory);
    try {
      await output.discard();
      return await withinHeapGrowth(() => work({ request, effects, output, dataDirectory }));
    } finally {
      await output.discard();
    }
  });
}

/** A run of the build that reads no source. */
export async function runWithoutSources(
  tree: TreeMemory,
  { request, effects, output, dataDirectory }: RollbackPlace,
): Promise<PublishContext> {
  const settings = documentSettings(request);
  const lists = await readPresentLists(output, tree.announced, request.recovers, effects.now());
  return {
    choice: leaveAll(tree.sources, dataDirectory),
    tree,
    scanned: [],
    settings,
    settingsDigest: digestSettings(settings),
    limit: undefined,
    output,
    dataDirectory,
    ...lists,
    advisories: await nextAdvisories(output, undefined, { advised: tree.publication?.advised }),
    pending: await readPending(output, tree),
    by: request.by,
    now: effects.now,
    progress: effects.progress,
  };
}

/** Publishes, deletes history that is past its age, and gives the serial of the publication. */
export async function publishAndPrune(
  run: PublishContext,
  outcome: PackagesOutcome,
  { request: { keepHistory = standardKeep }, dataDirectory }: RollbackPlace,
): Promise<number> {
  const serial = await publish(run, outcome);
  if (serial === undefined) throw new Error('a rollback that changes something was not published');
  await pruneHistory(dataDirectory, keepHistory, { previous: run.pending.announced, serial });
  return serial;
}
