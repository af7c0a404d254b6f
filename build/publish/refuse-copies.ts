// Refuses a new source whose versions are published from a recorded source that is gone: most likely the source moved,
// and a build would leave out every one of its versions as a duplicate.

import { existsSync } from 'node:fs';
import { BuildRefused } from '../contract/refusals.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import { readMemory } from '../memory/source-memory.ts';
import type { ChosenSource } from '../scan/chosen-source.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { PublishContext } from './run.ts';

/** Throws BuildRefused with the relocation that takes the versions over. */
export async function refuseCopies(
  { choice, tree, output }: Pick<PublishContext, 'choice' | 'tree' | 'output'>,
  { quarantined }: Pick<PackagesOutcome, 'quarantined'>,
): Promise<void> {
  const recorded = new Set(tree.sources.map(({ id }) => id));
  for (const { spec } of choice.read.filter(({ spec: { id } }) => !recorded.has(id))) {
    const { place } = spec;
    const refused = quarantined.filter(({ source, quarantine: { code } }) => source === spec.id && isDuplicate(code));
    if (!('path' in place) || refused.length === 0) continue;
    for (const { from, spec: lost } of [...choice.read, ...choice.left].filter(isGone)) {
      const packages = (await readMemory(output, lost.id))?.packages ?? {};
      if (!('path' in lost.place) || lost.place.kind !== place.kind) continue;
      if (!refused.every(({ quarantine: { name } }) => name !== null && Object.hasOwn(packages, name))) continue;
      const versions = refused.length === 1 ? ['version', 'is'] : ['versions', 'are'];
      throw new BuildRefused(
        `${refused.length} ${versions[0]} of ${place.path} ${versions[1]} published from ` +
          `${lost.place.path}, and nothing is there any more. Nothing was published. ` +
          (from === 'argument'
            ? `If the source moved, run \`libretto build --relocate ${quoteForShell(`${lost.place.path}=${place.path}`)}\`. `
            : 'If the source moved, change its path in libretto.json. ') +
          `To withdraw the versions of the lost source: \`libretto build --forget ${quoteForShell(lost.place.path)} --allow-withdraw\`.`,
      );
    }
  }
}

function isDuplicate(code: string): boolean {
  return code === 'DUPLICATE_VERSION';
}

function isGone({ spec: { place } }: ChosenSource): boolean {
  return 'path' in place && !existsSync(place.path);
}
