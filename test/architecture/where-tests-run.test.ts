// Tests that each test file runs in `npm test` or in `npm run fault`, as its name says (setup/where-tests-run.mjs).

import glob from 'fast-glob';
import { expect, it } from 'vitest';
import { isSeries, runsInFault, testFiles } from '../setup/where-tests-run.mjs';
import config from '../vitest.config.ts';
import { root } from './source-files.ts';

interface Project {
  readonly test: { readonly name: string; readonly include: string[]; readonly exclude?: string[] };
}

/** The files that `npm test` plays. */
const daily = new Set(
  ((config.test?.projects ?? []) as unknown as readonly Project[])
    .filter(({ test }) => test.name !== 'http-public')
    .flatMap(({ test }) => glob.sync(test.include, { cwd: root, ignore: test.exclude ?? [] })),
);

it('each test file runs in `npm test`, or is a series of `npm run fault`', () => {
  expect(daily.size).toBeGreaterThan(600);
  expect(testFiles.filter((path) => !daily.has(path) && !(isSeries(path) && runsInFault(path)))).toEqual([]);
});
