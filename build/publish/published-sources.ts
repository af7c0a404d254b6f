// The sources a tree has after a build, as its announcement names them.

import type { PublishedSource } from '../contract/publication.ts';
import type { PublishContext } from './run.ts';

/** A source that could not be read in its very first build is not remembered: most likely its name was mistyped. */
export function publishedSources(run: PublishContext): readonly PublishedSource[] {
  const neverRead = new Set(
    run.scanned
      .filter(
        ({ outcome, chosen }) => outcome === 'failed' && !run.tree.sources.some(({ id }) => id === chosen.spec.id),
      )
      .map(({ chosen }) => chosen.spec.id),
  );
  return [...run.choice.read, ...run.choice.left]
    .filter(({ spec }) => !neverRead.has(spec.id))
    .map(({ spec, from, hasOptions, options: { subdirectories } }): PublishedSource => ({
      id: spec.id,
      location: spec.location,
      from,
      ...(hasOptions ? { options: true as const } : {}),
      ...(hasOptions || subdirectories === undefined ? {} : { subdirectories }),
    }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

export function sameSources(run: PublishContext): boolean {
  return JSON.stringify(publishedSources(run)) === JSON.stringify(run.tree.sources);
}
