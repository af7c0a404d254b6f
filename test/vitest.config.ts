// One project a folder of test/. The fast ones run together; what starts servers, Composer or kills processes runs after them, few at a
// time, so that a busy machine does not turn a slow answer into a failure.

import { defineConfig } from 'vitest/config';

interface Folder {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly group: number;
  readonly workers?: number;
  readonly compiled?: boolean;
}

const folders: readonly Folder[] = [
  { name: 'unit', timeoutSeconds: 20, group: 0 },
  { name: 'architecture', timeoutSeconds: 20, group: 0 },
  { name: 'contract', timeoutSeconds: 30, group: 0 },
  { name: 'property', timeoutSeconds: 120, group: 1, workers: 2, compiled: true },
  { name: 'http', timeoutSeconds: 30, group: 1, workers: 2 },
  { name: 'security', timeoutSeconds: 30, group: 1, workers: 2 },
  { name: 'cli', timeoutSeconds: 60, group: 2, workers: 2, compiled: true },
  { name: 'e2e', timeoutSeconds: 120, group: 2, workers: 2, compiled: true },
  { name: 'fault', timeoutSeconds: 180, group: 3, workers: 2, compiled: true },
];

const projectOf = ({ name, timeoutSeconds, group, workers, compiled }: Folder) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: timeoutSeconds * 1000,
    hookTimeout: timeoutSeconds * 1000,
    sequence: { groupOrder: group },
    // a folder that runs the compiled binary refuses to start without one
    globalSetup: compiled ? ['test/setup/compiled.ts'] : [],
    ...(workers === undefined ? {} : { maxWorkers: workers }),
  },
});

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    pool: 'forks',
    projects: folders.map(projectOf),
    passWithNoTests: false,
  },
});
