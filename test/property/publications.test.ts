// Whatever is edited, built, cut off, rolled back and pruned, in whatever order and over years: after each step I1, I2, I3, I4, I5 and I6 hold, readers see what a model of the
// rules says, no lock that could have been made along the way has lost its archive before its time, and at the end the tree is that of a clean build.
// SERIES_RUNS=1000 plays more series than the few of every day; SERIES_SEED plays the same ones again.

// first of all: it takes the place of Node's file system
import '../util/faulty-disk.mjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyTally, playedRegistry } from '../util/played-registry.ts';
import { step, type Step } from '../util/publication-steps.ts';

const numRuns = Number(process.env['SERIES_RUNS'] ?? 60);
const seed = Number(process.env['SERIES_SEED'] ?? Date.now() % 1_000_000);

/** What a lifted rollback lets go of is withdrawn, also where a build was cut off in between and the next one could not read the source. */
const liftedThenUnreadable: readonly Step[] = [
  { kind: 'build', edits: [{ name: 'beta/three', version: '1.0.0', kind: 'put', content: 0 }], unreadable: [], days: 0, cutOffAt: undefined },
  { kind: 'build', edits: [{ name: 'beta/three', version: '1.0.0', kind: 'remove', content: 0 }], unreadable: [], days: 0, cutOffAt: undefined },
  { kind: 'rollback', back: 1, days: 0, cutOffAt: undefined },
  { kind: 'lift', days: 0, cutOffAt: undefined },
  { kind: 'build', edits: [], unreadable: [], days: 0, cutOffAt: 1 },
  { kind: 'build', edits: [], unreadable: ['beta'], days: 0, cutOffAt: undefined },
  { kind: 'build', edits: [], unreadable: [], days: 0, cutOffAt: undefined },
];

describe(`series of publications (SERIES_SEED=${seed} plays them again)`, () => {
  it('keep every promise at every step', async () => {
    const tally = emptyTally();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }), fc.nat(), async (steps, chance) => {
        const registry = playedRegistry(tally, chance);
        try {
          for (const one of steps) await registry.play(one);
          await registry.end();
        } finally {
          registry.remove();
        }
      }),
      { numRuns, seed, examples: [[[...liftedThenUnreadable], 0]] },
    );
    // of each kind something has happened; that a prune finds something takes many steps before it
    if (numRuns >= 60) expect(Object.entries({ ...tally, lost: 1 }).filter(([, times]) => times === 0)).toEqual([]);
  }, 60_000 + numRuns * 3000);
});
