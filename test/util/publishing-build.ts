// One build with every kind of change, which a test repeats from the same start: added and removed packages and
// versions, a branch that moves, a release that is published anew, a README that changes.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../build/scan/build-request.ts';
import { rollBack } from '../../build/rollback/rollback.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { below, temporaryTree, type Tree } from './package-tree.ts';
import { allFiles, wholeTree } from './published-tree.ts';
import { whoLibrary } from './who-library.ts';

const release = (name: string, version: string, who = version): Tree =>
  below(`${name}/${version}`, { ...whoLibrary(name, version, {}, who), 'README.md': `# ${name}\n${who}\n` });
const head = (name: string, who: string): Tree =>
  below(`${name}/head`, { ...whoLibrary(name, undefined, {}, who), 'README.md': `# ${name}\n${who}\n` });

export interface PublishingBuild {
  readonly data: string;
  /** Prepares the data folder as it was before the build; returns its path. */
  readonly begin: () => string;
  /** Runs the build, `late` seconds later than the earliest time. */
  readonly run: (late?: number) => Promise<BuildReport>;
  /** the result of an undisturbed build */
  readonly expected: FinishedTree;
  readonly found: () => FinishedTree;
  /** Restores the publication before the build. */
  readonly rollBack: (late: number) => Promise<unknown>;
  readonly remove: () => void;
}

export interface FinishedTree {
  /** path → SHA-256 of every served file */
  readonly served: Readonly<Record<string, string>>;
  /** every file of the data folder */
  readonly files: readonly string[];
}

const standardRequest: Omit<BuildRequest, 'dataDirectory' | 'baseDirectory' | 'arguments'> = {
  configured: undefined,
  fallback: undefined,
  forget: [],
  strict: false,
  allowRepublish: true,
  allowWithdraw: true,
  jobs: 1,
  metadataUrl: '/p2/%package%$%hash%.json',
  distBaseUrl: undefined,
};

/** The packages of the former publication. */
const before: Tree = {
  ...release('acme/less', '1.0.0'),
  ...release('acme/less', '1.1.0'),
  ...release('acme/gone', '1.0.0'),
  ...release('acme/moved', '1.0.0'),
  ...head('acme/moved', 'before'),
  ...release('acme/still', '1.0.0'),
  ...release('acme/anew', '1.0.0'),
};

/** The packages that the build adds or changes. */
const after: Tree = {
  ...release('acme/more', '1.0.0'),
  ...head('acme/more', 'first'),
  ...release('acme/most', '1.0.0'),
  ...release('acme/most', '2.0.0'),
  ...release('acme/other', '1.0.0'),
  ...release('acme/moved', '1.1.0'),
  ...head('acme/moved', 'after'),
  ...release('acme/anew', '1.0.0', 'again'),
};

/** `cold`: nothing was published before. */
export async function publishingBuild({ cold = false } = {}): Promise<PublishingBuild> {
  // in memory where there is space, because a test repeats the build hundreds of times
  const tree = temporaryTree({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const [source, base, data] = [tree.path('packages'), tree.path('base'), tree.path('data')];
  const request = (dataDirectory: string): BuildRequest => ({
    ...standardRequest,
    dataDirectory,
    baseDirectory: tree.root,
    arguments: [source],
  });
  const effects = (seconds: number): BuildEffects => ({
    now: () => new Date(Date.now() + seconds * 1000),
    progress: () => undefined,
    environment: { PATH: process.env['PATH'] },
  });
  const buildInto = (dataDirectory: string, seconds: number) => build(request(dataDirectory), effects(seconds));
  const put = (change: Tree): void => tree.write(below('packages', change));

  put(before);
  if (!cold) await buildInto(base, 0);
  for (const gone of ['acme/less/1.1.0', 'acme/gone']) tree.delete(`packages/${gone}`);
  put(after);

  const finished = (): FinishedTree => ({ served: wholeTree(data), files: allFiles(data).map(withoutSerial) });
  const begin = (): string => {
    rmSync(data, { recursive: true, force: true });
    if (!cold) cpSync(base, data, { recursive: true, preserveTimestamps: true });
    return data;
  };
  begin();
  await buildInto(data, 10);
  const expected = finished();
  return {
    data,
    begin,
    run: (late = 0) => buildInto(data, 10 + late),
    expected,
    found: finished,
    rollBack: (late) => rollBack({ to: 1, dryRun: false }, request(data), effects(late)),
    remove: () => tree.remove(),
  };
}

/** An interrupted publication has used up its serial. */
const withoutSerial = (path: string): string => path.replace(/^build\/history\/\d+/, 'build/history/N');

/**
 * A process that ends leaves its locks behind. The test's own process lives on, so that this function gives its locks
 * to an ended process.
 */
export function giveLocksToEndedProcess(data: string): void {
  const folder = join(data, 'build');
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!/^lock(\.|$)/.test(name)) continue;
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    // a half-written lock after a power loss, which others respect for a minute
    if (name === 'lock' && !text.endsWith('}')) rmSync(path);
    else if (text.endsWith('}'))
      writeFileSync(path, JSON.stringify({ ...(JSON.parse(text) as object), pid: 2 ** 22 + 1 }));
  }
}
