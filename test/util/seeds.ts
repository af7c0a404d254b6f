// The seeds of random tests. `npm test` plays the same series on every machine, so that each change is judged by the
// same ones. `npm run fault` plays new series: test/fault.mjs sets both variables to a number that it prints.

const fixedSeed = 20_261_121;

/** SERIES_SEED: for everything that fast-check draws. CRASH_SEED: for the moments at which processes and disks fail. */
export function seedOf(variable: 'SERIES_SEED' | 'CRASH_SEED'): number {
  const seed = Number(process.env[variable] ?? fixedSeed);
  if (!Number.isSafeInteger(seed))
    throw new Error(`${variable} must be an integer, and is ${String(process.env[variable])}`);
  return seed;
}
