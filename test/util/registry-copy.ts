// A registry on disk that a test file prepares once with the compiled commands. Each test of the file changes a copy of
// its own, and may serve it. The data folder is `data`.

import { cpSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { temporaryTree, type TemporaryTree, type Tree } from './package-tree.ts';
import { publishedVersions } from './published-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from './run-cli.ts';
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
  /** The JSON document of a command that must exit with 0. */
  readonly json: (...args: readonly string[]) => Promise<Record<string, unknown>>;
  /** Creates a token, and returns its secret. */
  readonly token: (...flags: readonly string[]) => Promise<string>;
  /** A running server on a free port; it ends with the test. */
  readonly serve: (...flags: readonly string[]) => Promise<ServedCopy>;
  /** Removes files and folders of the data folder, which must exist. */
  readonly lose: (...paths: readonly string[]) => void;
  /** the published versions, `acme/hello@1.0.0`; sorted */
  readonly versions: () => readonly string[];
}

export interface ServedCopy {
  readonly server: RunningCli;
  readonly url: string;
  /** Requests a path, such as `/packages.json`, with a token. */
  readonly get: (path: string, token: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

/** Call it once at the top of a test file: it adds the hooks that prepare, copy and remove the registry. */
export function registryCopy(files: Tree, prepare: () => Promise<unknown>): RegistryCopy {
  let prepared: TemporaryTree;
  let copy: TemporaryFolder | undefined;
  beforeAll(async () => {
    prepared = temporaryTree(files);
    await prepare();
  });
  afterAll(() => prepared.remove());
  beforeEach(() => {
    copy = temporaryFolder('registry-copy');
    cpSync(prepared.root, copy.path, { recursive: true, preserveTimestamps: true });
  });
  afterEach(async () => {
    await servers.stop();
    await copy?.remove();
  });

  const at = (...parts: string[]): string => copy?.at(...parts) ?? prepared.path(...parts);
  const data = (...parts: string[]): string => at('data', ...parts);
  const servers = startServers(() => at());
  const libretto = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli([...args, '--data', 'data'], { cwd: at() });
  const succeeds: RegistryCopy['succeeds'] = async (...args) => {
    const outcome = await libretto(...args);
    expect([args, outcome]).toEqual([args, expect.objectContaining({ exitCode: 0 })]);
    return outcome;
  };
  return {
    at,
    data,
    prepared: (...parts) => prepared.path(...parts),
    libretto,
    succeeds,
    json: async (...args) => JSON.parse((await succeeds(...args, '--json')).stdout) as Record<string, unknown>,
    token: async (...flags) => (await succeeds('token', 'create', '--description', 'a test', ...flags)).stdout.trim(),
    serve: servers.serve,
    lose: (...paths) => paths.forEach((path) => rmSync(data(path), { recursive: true })),
    versions: () => Object.keys(publishedVersions(data())).toSorted(),
  };
}

function startServers(folder: () => string): Pick<RegistryCopy, 'serve'> & { readonly stop: () => Promise<void> } {
  const servers: RunningCli[] = [];
  return {
    serve: async (...flags) => {
      const server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', ...flags], { cwd: folder() });
      servers.push(server);
      const [url] = await server.shows(/http:\/\/127\.0\.0\.1:\d+/);
      const get: ServedCopy['get'] = (path, token, headers = {}) =>
        fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
      return { server, url, get };
    },
    stop: async () => {
      for (const server of servers.splice(0)) {
        server.signal('SIGTERM');
        await server.ended;
      }
    },
  };
}
