// Says where a test file runs; its name decides.
//
// `*.test.ts` runs in `npm test`, which gives a verdict in minutes. `*.series.test.ts` runs in `npm run fault`. A series
// is long: a walk through many parts of Libretto, many kills, or every combination of many values. What its steps show
// is also asserted in `npm test`, by a cheaper file or by a part of the series.
//
// Random tests stay in `npm test` with few rounds: variables such as SERIES_RUNS ask for more (test/fault.mjs).

import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../..', import.meta.url).pathname;

/** Every test file, as a path from the root of the repository. */
export const testFiles = readdirSync(`${root}test`, { recursive: true })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`)
  .toSorted();

export const isSeries = (path) => path.endsWith('.series.test.ts');

/** Folders that `npm run fault` plays whole, in its own ways: each command alone, both paths of node. */
const folders = /^test\/(?:cli|fault|http|property)\//;

/** Files with fewer rounds, pages or ways in `npm test`. */
const readsSeries = (path) =>
  /\/(?:seeded-check|seeds|series)\.ts'|process\.env\['[A-Z_]+_(?:RUNS|WAYS|KILLS)'\]/.test(
    readFileSync(`${root}${path}`, 'utf8'),
  );

export const runsInFault = (path) => isSeries(path) || folders.test(path) || readsSeries(path);
