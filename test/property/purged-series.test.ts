// I21. Series of publications in which versions are purged as well, some of the purges cut off: every promise of publications.test.ts holds, and what was purged is
// never published again. SERIES_RUNS and SERIES_SEED play more of them, and others.

// first of all: it takes the place of Node's file system
import '../util/faulty-disk.mjs';
import { describe, expect, it } from 'vitest';
import { emptyTally, playedRegistry } from '../util/played-registry.ts';
import { purgeStep, step } from '../util/publication-steps.ts';
import { fc } from '../util/seeded-check.ts';
import { seedOf } from '../util/seeds.ts';

const numRuns = Number(process.env['SERIES_RUNS'] ?? 15);
const seed = seedOf('SERIES_SEED');
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: step }, { weight: 1, arbitrary: purgeStep }), { minLength: 8, maxLength: 16, size: 'max' });

describe(`series of publications and purges (SERIES_SEED=${seed} plays them again)`, () => {
  it('keep every promise at every step', async () => {
    const tally = emptyTally();
    const series = fc.asyncProperty(steps, fc.nat(), async (played, chance) => {
      const registry = playedRegistry(tally, chance);
      try {
        for (const one of played) await registry.play(one);
        await registry.end();
      } finally {
        registry.remove();
      }
    });
    await fc.assert(series, { numRuns, seed });
    expect(tally.purged).toBeGreaterThan(0);
  }, 60_000 + numRuns * 3000);
});
