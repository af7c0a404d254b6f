// Name patterns of libretto.json that stand for nothing: most likely mistyped, and then something is published that was
// not to be, or the other way round. Several sources may share a pattern that only one of them has a use for. Pure.

import { isRead, type ReadSource, type ScannedSource } from '../scan/scan.ts';
import { patternsOf } from '../sources/options.ts';

/** A line for each source and its idle patterns; none for a pattern that another source has a use for, or may have. */
export function unusedPatternNotices(
  scanned: readonly ScannedSource[],
): readonly { readonly source: string; readonly message: string }[] {
  const told = new Set<string>();
  const isIdle = (pattern: string): boolean =>
    scanned.every(
      (source) =>
        !patternsOf(source.chosen.options).includes(pattern) || (isRead(source) && source.idle.includes(pattern)),
    );
  return scanned.filter(isRead).flatMap(({ chosen, idle }: ReadSource) => {
    const mine = idle.filter((pattern) => !told.has(pattern) && isIdle(pattern));
    for (const pattern of mine) told.add(pattern);
    return mine.length === 0
      ? []
      : [
          {
            source: chosen.spec.location,
            message: `libretto.json limits it by ${mine.join(', ')}, but it has no such package.`,
          },
        ];
  });
}
