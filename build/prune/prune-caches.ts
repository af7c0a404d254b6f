// Removes the caches of removed sources: copies of remote repositories, and dists of inline packages. It runs under the
// build's lock, after the last version of those sources is withdrawn. A cache that is removed too early costs one
// download.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readMemory } from '../memory/source-memory.ts';
import type { PublishContext } from '../publish/run.ts';
import { isRead } from '../scan/scan.ts';
import { gitMirrorFolder, sweepMirror, mirrorName } from '../sources/git/mirror-folder.ts';
import type { ChosenSource } from '../scan/chosen-source.ts';

/** Call it after a publication: the memory then matches the sources. */
export async function pruneCaches(run: PublishContext, dataDirectory: string): Promise<void> {
  const { choice, scanned, limit } = run;
  const mirrors = join(dataDirectory, 'build/git');
  for (const {
    chosen: {
      spec: { place },
    },
  } of scanned.filter(isRead))
    if ('url' in place) await sweepMirror(gitMirrorFolder(mirrors, place.url), run.now);
  const redescribed = scanned.some((source) => isRead(source) && source.chosen.spec.place.kind === 'package');
  if (limit !== undefined || (choice.forgotten.length === 0 && !redescribed)) return;
  const sources = [...choice.read, ...choice.left];
  const used = new Set(sources.flatMap(({ spec: { place } }) => ('url' in place ? [mirrorName(place.url)] : [])));
  for (const name of await namesIn(mirrors))
    if (/^[0-9a-f]{32}\.git$/.test(name) && !used.has(name)) await sweepMirror(join(mirrors, name), run.now, true);
  const dists = await distsOf(
    sources.filter(({ spec }) => spec.place.kind === 'package'),
    run,
  );
  if (dists !== undefined)
    await removeOthers(join(dataDirectory, 'build/downloads'), /^[0-9a-f]{32}\.[0-9a-f]{64}\.zip$/, (name) =>
      dists.has(name.slice(0, 32)),
    );
}

/** Keys of all dists in use; undefined if the keys of a source are unknown. */
async function distsOf(
  sources: readonly ChosenSource[],
  { output }: PublishContext,
): Promise<ReadonlySet<string> | undefined> {
  const keys = new Set<string>();
  if (sources.length === 0) return keys;
  const { distKeysOf } = await import('../sources/package/dist-memory.ts');
  for (const { spec } of sources) {
    const known = distKeysOf((await readMemory(output, spec.id))?.memory.detail);
    if (known === undefined) return undefined;
    for (const key of known) keys.add(key);
  }
  return keys;
}

/** Removes the entries of a folder that have this form and are not in use. */
async function removeOthers(folder: string, form: RegExp, isUsed: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (form.test(name) && !isUsed(name)) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
