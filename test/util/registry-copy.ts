// A registry on disk that a test file prepares once with the compiled commands. Each test of the file damages a copy of
// its own. The data folder is `data`.

import { cpSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { temporaryTree, type TemporaryTree, type Tree } from './package-tree.ts';
import { publishedVersions } from './published-tree.ts';
import { runCli, type CliOutcome } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

/** All paths and commands belong to the copy of the running test, and during `prepare` to the prepared registry. */
export interface RegistryCopy {
  readonly at: (...parts: string[]) => string;
  /** a path in the data folder */
  readonly data: (...parts: string[]) => string;
  /** a path in the prepared registry, which no test changes */
  readonly prepared: (...parts: string[]) => string;
  readonly libretto: (...args: readonly string[]) => Promise<CliOutcome>;
  /** The same; the command must exit with 0. */
  readonly succeeds: (...args: readonly string[]) => Promise<CliOutcome>;
  /** Removes files and folders of the data folder, which must exist. */
  readonly lose: (...paths: readonly string[]) => void;
  /** the published versions, `acme/hello@1.0.0`; sorted */
  readonly versions: () => readonly string[];
}

/** Call it once at the top of a test file: it adds the hooks that prepare, copy and remove the registry. */
export function registryCopy(files: Tree, prepare: () => Promise<unknown>): RegistryCopy {
  let prepared: TemporaryTree;
  let copy: TemporaryFolder | undefined;
  beforeAll(async () => {
    prepared = temporaryTree(files);
    await prepare();
  }, 60_000);
  afterAll(() => prepared.remove());
  beforeEach(() => {
    copy = temporaryFolder('registry-copy');
    cpSync(prepared.root, copy.path, { recursive: true, preserveTimestamps: true });
  });
  afterEach(() => copy?.remove());

  const at = (...parts: string[]): string => copy?.at(...parts) ?? prepared.path(...parts);
  const data = (...parts: string[]): string => at('data', ...parts);
  const libretto = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli([...args, '--data', 'data'], { cwd: at() });
  return {
    at,
    data,
    prepared: (...parts) => prepared.path(...parts),
    libretto,
    succeeds: async (...args) => {
      const outcome = await libretto(...args);
      expect([args, outcome]).toEqual([args, expect.objectContaining({ exitCode: 0 })]);
      return outcome;
    },
    lose: (...paths) => paths.forEach((path) => rmSync(data(path), { recursive: true })),
    versions: () => Object.keys(publishedVersions(data())).toSorted(),
  };
}
