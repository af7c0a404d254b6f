// The latest date that views can have from the present publication. Pure. Several publications within one second give
// dates that run ahead of the clock, one second each.

import { feedTimeAfter, isBehind } from '../contract/feed-time.ts';
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
    kept: publication?.feed?.kept ?? 0,
  };
}

/** `feed` of the publication that follows the present tree, if it changes documents at `now`. */
export function feedAfter(
  { serial, publication }: Pick<TreeMemory, 'serial' | 'publication'>,
  now: Date,
): NonNullable<Publication['feed']> {
  const at = Math.floor(now.getTime() / 1000);
  const until = publication === undefined ? Number.NEGATIVE_INFINITY : untilOf(publication);
  const before = publication?.feed ?? { at: until, time: until, kept: 0 };
  // each interrupted publication may have recorded changes too
  const interrupted = serial - (publication?.serial ?? 0);
  const { time } = feedTimeAfter(before, at);
  if (isBehind(before, at)) return { at, time: time + interrupted, kept: serial + 1 };
  return { at, time, kept: interrupted > 0 ? serial + 1 : before.kept };
}

function untilOf({ dates_until: until, root }: Publication): number {
  return until ?? root.last_modified;
}
