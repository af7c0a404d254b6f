// The first half of a build: fetches remote repositories and dists of inline packages before the build takes its lock.
// A remote that hangs then blocks no other build. The fetch decides nothing: the build reads under the lock which
// sources count and which versions are published.

import type { BuildEffects, BuildRequest } from './build-request.ts';
import { documentSettings } from '../documents/document-settings.ts';
import { digestSettings } from '../memory/settings-digest.ts';
import { readKnownSources, readTreeMemory } from '../memory/tree-memory.ts';
import { openSource, rememberedOf, type OpenSourcesOptions, type RemoteSources } from './open-sources.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { runBatch } from '../shared/concurrency/batch.ts';
import { SingleFlight } from '../shared/concurrency/single-flight.ts';
import type { Source } from '../sources/release.ts';
import { chooseSources } from './choose-sources.ts';
import type { ChosenSource } from './chosen-source.ts';
import { wasPublished } from './lost-announcement.ts';
import { sourcesToRead } from '../version-lists/withheld.ts';

/** Remotes are mostly waited for. */
const fetchesAtOnce = 8;

/** The builder's memory of sources counts only if the memory of the tree is trusted. */
type OptionsFor = (memory: Pick<OpenSourcesOptions, 'output' | 'trusted' | 'stale'>) => Promise<OpenSourcesOptions>;

/** `request`: with the real path of its data folder. */
export function createRemoteSources(
  request: BuildRequest,
  { progress, stop }: BuildEffects,
  optionsFor: OptionsFor,
): RemoteSources {
  const opened = new SingleFlight<Source>({ keeps: 'settled' });
  const needed = new Map<string, ChosenSource>();
  const open = (chosen: ChosenSource, options: OpenSourcesOptions): Promise<Source> | undefined => {
    // a repository on this disk may have a version that names a dist
    if (!isElsewhere(chosen) && chosen.spec.place.kind !== 'git') return undefined;
    const source = opened.run(chosen.spec.id, () => openSource(chosen, options));
    needed.set(chosen.spec.id, chosen);
    return source;
  };
  let elapsed = 0;
  return {
    open,
    has: (chosen) => opened.get(chosen.spec.id) !== undefined,
    elapsedMs: () => elapsed,
    fetch: async () => {
      const started = performance.now();
      const output = createDiskOutput(request.dataDirectory);
      const chosenNow = (await chooseRemote(request, output)).map((chosen) => [chosen.spec.id, chosen] as const);
      // includes sources that an earlier attempt opened under the lock, even if the memory has changed since
      const remote = [...new Map([...chosenNow, ...needed]).values()];
      if (remote.length === 0) return 0;
      const options = await optionsFor({ output, ...(await readTrust(request, output)) });
      let done = 0;
      await runBatch(remote, Math.max(request.jobs, fetchesAtOnce), async (chosen) => {
        const source = await open(chosen, options);
        await source?.fetch?.((await rememberedOf(chosen, options)).remembered?.memory);
        done += 1;
        progress({ phase: 'fetch', done, total: remote.length, label: chosen.spec.shown });
      });
      stop?.throwIfAborted();
      elapsed += performance.now() - started;
      return remote.length;
    },
    close: () => closeAll(opened.values()),
  };
}

/** A source that could not be opened needs no closing. */
async function closeAll(opened: Iterable<Promise<Source>>): Promise<void> {
  const sources = await Promise.allSettled(opened);
  await Promise.all(sources.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
}

/**
 * Chooses from the builder's memory of sources alone. Most builds have no remote source and then read the rest of the
 * tree only once.
 */
async function chooseRemote(request: BuildRequest, output: Output): Promise<readonly ChosenSource[]> {
  const known = await readKnownSources(output);
  // the announcement may be lost: the build reports the loss after it has read the tree
  const mayBeEmpty = request.mayBeEmpty === true || (known.length === 0 && (await wasPublished(output)));
  return chooseSources({ ...request, mayBeEmpty }, known, request.dataDirectory).read.filter(isElsewhere);
}

async function readTrust(
  request: BuildRequest,
  output: Output,
): Promise<Pick<OpenSourcesOptions, 'trusted' | 'stale'>> {
  const { trusted, stale } = await readTreeMemory(output, digestSettings(documentSettings(request)));
  return { trusted, stale: new Set([...stale, ...(await sourcesToRead(output, request.withhold))]) };
}

function isElsewhere({ spec: { place } }: ChosenSource): boolean {
  return 'url' in place || place.kind === 'package';
}
