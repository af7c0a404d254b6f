// The tests of a file that `npm run fault` alone plays; setup/where-tests-run.mjs has the rule. The other tests of the
// file run in `npm test` too, and need none of these.

import { describe, it } from 'vitest';

export const playsSeries = process.env['SERIES'] === 'all';

const isAbsent = Object.assign((): void => undefined, {
  each: () => (): void => undefined,
  skipIf: (): unknown => isAbsent,
});

/** `it` in `npm run fault`. In `npm test` there is no such test. */
export const itInSeries = playsSeries ? it : (isAbsent as unknown as typeof it);

/** `describe`, likewise. */
export const describeInSeries = playsSeries ? describe : (isAbsent as unknown as typeof describe);

/** All in `npm run fault`; the first `count` in `npm test`. */
export const firstOf = <T>(all: readonly T[], count: number): readonly T[] => (playsSeries ? all : all.slice(0, count));

/** All in `npm run fault`; one of `step` in `npm test`. */
export const sampleOf = <T>(all: readonly T[], step: number): readonly T[] =>
  all.filter((_, at) => playsSeries || at % step === 0);
