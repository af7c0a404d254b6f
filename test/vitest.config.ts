// Each folder of test/ is a project, and some folders have several. Each file of test/unit belongs to `unit`, or to
// `unit-processes` where it starts other programs. `http-public` runs test/http once more with node's public interface
// alone (proxy/core/http/node-path.ts): its core by default, all files where HTTP_PUBLIC is `all` (`npm run fault`).
//
// The files of a project without isolation share processes, which import each module once; Vitest keeps a process as
// long as the next file belongs to the same project. Files of `cli` and `e2e` also share the processes that run commands
// (util/command-pool.ts). `faulty-disk` has the files of test/fault and test/property that replace Node's functions for
// files, with a process for each. Test files run in the order of test/setup/file-order.ts.
//
// LIBRETTO_COMPOSERS holds commands, separated by commas, such as `composer,php /opt/composer-2.10.phar`: each runs
// every scenario of test/e2e, as a project of its own. By default the installed `composer` does.

import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { orderOf } from './setup/file-order.ts';

interface Folder {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** default: all of test/<name> */
  readonly files?: readonly string[];
  /** each file in a process of its own */
  readonly isolated?: boolean;
  /** the tests run lib/, the output of `npm run compile` */
  readonly compiled?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Projects whose tests wait for nothing. */
const computing = new Set(['unit', 'architecture']);

const root = new URL('..', import.meta.url).pathname;

/** Imports of a unit test that start git, a shell or a server for git. */
const programStart = /from '(?:node:child_process|execa|[./]+\/util\/(?:git-[\w-]+|publish\w+-\w+|run-cli)\.ts)'/;

const filesOf = (folder: string): readonly string[] =>
  readdirSync(`${root}test/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${folder}/${path}`);

const unitFiles = filesOf('unit');
const startsPrograms = (path: string): boolean => programStart.test(readFileSync(`${root}${path}`, 'utf8'));

/** Imports that replace Node's functions for files in their process. */
const replacedDisk = /(?:from|import) '[./]+\/util\/faulty-disk\.mjs'/;
const replacesDisk = (path: string): boolean => replacedDisk.test(readFileSync(`${root}${path}`, 'utf8'));
const [faultFiles, propertyFiles] = [filesOf('fault'), filesOf('property')];

const publicPathFiles =
  process.env['HTTP_PUBLIC'] === 'all'
    ? ['test/http/**/*.test.ts']
    : ['dist', 'conditional', 'head', 'drain'].map((name) => `test/http/${name}.test.ts`);

/** The projects in their order. */
const folders: readonly Folder[] = [
  { name: 'unit', timeoutSeconds: 20, files: unitFiles.filter((path) => !startsPrograms(path)) },
  { name: 'architecture', timeoutSeconds: 20 },
  { name: 'unit-processes', timeoutSeconds: 20, files: unitFiles.filter(startsPrograms) },
  {
    name: 'faulty-disk',
    timeoutSeconds: 180,
    files: [...faultFiles, ...propertyFiles].filter(replacesDisk),
    compiled: true,
    isolated: true,
  },
  { name: 'property', timeoutSeconds: 120, files: propertyFiles.filter((path) => !replacesDisk(path)), compiled: true },
  { name: 'fault', timeoutSeconds: 180, files: faultFiles.filter((path) => !replacesDisk(path)), compiled: true },
  { name: 'e2e', timeoutSeconds: 120, compiled: true },
  { name: 'cli', timeoutSeconds: 60, compiled: true },
  { name: 'recorded', timeoutSeconds: 60, compiled: true },
  { name: 'security', timeoutSeconds: 30 },
  { name: 'http', timeoutSeconds: 30 },
  { name: 'http-public', timeoutSeconds: 30, files: publicPathFiles, environment: { TEST_NODE_PATH: 'public' } },
  { name: 'contract', timeoutSeconds: 30 },
];

/** Less garbage collection: with the small heap of a new process, it takes a sixth of the processor time. */
const execArgv = ['--initial-old-space-size=256'];

const projectOf = ({ name, timeoutSeconds, files, isolated, compiled, environment }: Folder) => ({
  test: {
    name,
    include: [...(files ?? [`test/${name}/**/*.test.ts`])],
    testTimeout: timeoutSeconds * 1000,
    hookTimeout: timeoutSeconds * 1000,
    isolate: isolated ?? false,
    execArgv,
    // for two processors: most tests wait for other programs half of the time
    maxWorkers: computing.has(name) ? 2 : 4,
    sequence: { groupOrder: computing.has(name) ? 0 : 1 },
    env: environment ?? {},
    // a project of the compiled program refuses to start without it
    globalSetup: compiled ? ['test/setup/compiled.ts'] : [],
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
// The program would warn of a LIBRETTO_* variable that it does not know, with every command.
delete process.env['LIBRETTO_COMPOSERS'];

export default defineConfig({
  root,
  test: {
    pool: 'forks',
    sequence: { sequencer: orderOf(folders.map(({ name }) => name)) },
    projects: folders.flatMap((folder) => projectsOf(folder, clients)),
    passWithNoTests: false,
  },
});
