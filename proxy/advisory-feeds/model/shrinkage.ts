// Decides whether a new list is so much smaller than the copy in use that a person must accept it. A feed that loses
// its rows by mistake, or because someone attacks it, must not unblock anything. Advisories and each filter list are
// compared by themselves: a long list must not hide that a short one is empty. Pure.

import { isUsable, type FeedRows } from './feed-rows.ts';

export interface Shrinkage {
  readonly from: number;
  readonly to: number;
}

/** Fewer rows than these are only compared with nothing at all. */
const fewRows = 20;

/** `before` and `after`: rows about the packages that both lists are about. undefined: the new list may be used. */
export function shrinkageOf(before: number, after: number): Shrinkage | undefined {
  const isEmptied = before > 0 && after === 0;
  const isHalved = before >= fewRows && after * 2 < before;
  return isEmptied || isHalved ? { from: before, to: after } : undefined;
}

export interface ListComparison {
  /** `before` and `after`: what both lists say about one package */
  readonly add: (before: FeedRows, after: FeedRows) => void;
  /** the first part of the list that shrinks, in words; undefined: none does */
  readonly shrinkage: () => { readonly of: string; readonly shrunk: Shrinkage } | undefined;
}

export function createComparison(): ListComparison {
  const counts = new Map<string, { before: number; after: number }>();
  const count = ({ advisories, entries }: FeedRows, side: 'before' | 'after'): void => {
    const parts = [
      ...advisories.filter(isUsable).map(() => 'advisories'),
      ...entries.filter(isUsable).map(({ list }) => `the filter list ${list}`),
    ];
    for (const part of parts) {
      const known = counts.get(part) ?? { before: 0, after: 0 };
      counts.set(part, known);
      known[side] += 1;
    }
  };
  return {
    add: (before, after) => {
      count(before, 'before');
      count(after, 'after');
    },
    shrinkage: () => {
      for (const [of, { before, after }] of counts) {
        const shrunk = shrinkageOf(before, after);
        if (shrunk !== undefined) return { of, shrunk };
      }
      return undefined;
    },
  };
}
