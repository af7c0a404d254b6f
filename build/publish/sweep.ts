// Removes the rest of purged versions outside the tree: from history, the builder's memory, caches and uploaded ZIPs. A
// missing file counts as removed, so that an interrupted sweep can be repeated as a whole (I21).

import { join } from 'node:path';
import { formatSourceMemory, memoryPath, readMemory } from '../memory/source-memory.ts';
import type { PublishContext } from './run.ts';
import { gitMirrorFolder, sweepMirror } from '../sources/git/mirror-folder.ts';
import { sweepArchives } from './sweep-archives.ts';
import { sweepHistory } from './sweep-history.ts';

type Sweep = Pick<PublishContext, 'choice' | 'output' | 'dataDirectory' | 'purged' | 'now'>;

/** Under the build's lock, once the publication without them is announced. */
export async function sweepPurged(run: Sweep): Promise<void> {
  await sweepHistory(run.output, run.purged);
  await sweepArchives(run.dataDirectory, run.purged.rows);
  await forgetSources(run);
  await sweepClones(run);
}

/**
 * Makes the next build read these sources again, examine these packages, and report the purged contents that they still
 * have.
 */
async function forgetSources({ output, purged }: Sweep): Promise<void> {
  for (const id of new Set(purged.rows.flatMap(({ source }) => source ?? []))) {
    const known = await readMemory(output, id);
    if (known === undefined) continue;
    const names = purged.rows.flatMap(({ name, source }) =>
      source === id && known.packages[name] !== undefined ? [[name, '']] : [],
    );
    const file = await output.stage(
      formatSourceMemory({
        ...known,
        memory: { ...known.memory, fingerprint: '' },
        packages: { ...known.packages, ...(Object.fromEntries(names) as Record<string, string>) },
      }),
    );
    await output.settle([file]);
    await output.publish(file, 'build', memoryPath(id));
  }
  await output.barrier();
}

/**
 * Removes copies of remote repositories, because a copy keeps the dropped objects of its remote until it is rebuilt. A
 * copy with a running fetch stays.
 */
async function sweepClones({ choice, dataDirectory, purged, now }: Sweep): Promise<void> {
  const ids = new Set(purged.rows.flatMap(({ source }) => source ?? []));
  for (const { spec } of [...choice.read, ...choice.left]) {
    if (!ids.has(spec.id) || !('url' in spec.place)) continue;
    await sweepMirror(gitMirrorFolder(join(dataDirectory, 'build/git'), spec.place.url), now, true);
  }
}
