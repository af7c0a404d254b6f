// The latest date that views can have from the present publication. Pure. Several publications within one second give
// dates that run ahead of the clock, one second each.

import type { Publication } from '../contract/publication.ts';
import type { PublicationMoment } from '../documents/document-changes.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';

/** `dates_until` of a publication at `now` that follows `before`. */
export function datesAfter(before: Publication | undefined, now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000);
  return before === undefined ? seconds : Math.max(seconds, untilOf(before) + 1);
}

/** The moment of the publication that follows the present tree. */
export function momentAfter({ serial, publication }: Pick<TreeMemory, 'serial' | 'publication'>): PublicationMoment {
  const wasCutOff = serial !== (publication?.serial ?? 0);
  return {
    serial: serial + 1,
    datesUntil: wasCutOff
      ? Number.POSITIVE_INFINITY
      : publication === undefined
        ? Number.NEGATIVE_INFINITY
        : untilOf(publication),
  };
}

function untilOf({ dates_until: until, root }: Publication): number {
  return until ?? root.last_modified;
}
