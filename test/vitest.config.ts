// One project a folder of test/. The fast ones run together; what starts servers, Composer or kills processes runs
// after them, few at a time, so that a busy machine does not turn a slow answer into a failure.
//
// LIBRETTO_COMPOSERS holds commands, separated by commas, such as `composer,php /opt/composer-2.10.phar`: each runs
// every scenario of test/e2e, as a project of its own. By default the installed `composer` does.

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
  { name: 'recorded', timeoutSeconds: 60, group: 2, workers: 2, compiled: true },
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

/**
 * One project of test/e2e for each client. The tests of a project learn its command from TEST_COMPOSER
 * (util/composer.ts).
 */
function projectsOf(folder: Folder, clients: readonly string[]) {
  const project = projectOf(folder);
  if (folder.name !== 'e2e' || clients.length === 0) return [project];
  return clients.map((client) => ({
    test: { ...project.test, name: `e2e ${client}`, env: { TEST_COMPOSER: client } },
  }));
}

const clients = (process.env['LIBRETTO_COMPOSERS'] ?? '')
  .split(',')
  .map((client) => client.trim())
  .filter((client) => client !== '');
// The program takes every LIBRETTO_* variable for a setting of its own, and refuses this one.
delete process.env['LIBRETTO_COMPOSERS'];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    pool: 'forks',
    projects: folders.flatMap((folder) => projectsOf(folder, clients)),
    passWithNoTests: false,
  },
});
