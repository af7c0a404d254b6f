// A folder with a registry on disk and the compiled command, and upstreams on loopback that act as Composer
// repositories.

import { mkdirSync, writeFileSync } from 'node:fs';
import { zipOf } from './hostile-zip.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { startUpstream, type TestUpstream, type UpstreamOptions } from './upstream.ts';

export type Json = Record<string, unknown>;
type Environment = Readonly<Record<string, string>>;

export interface ComposerWorkspace extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  /** Starts a repository with these packages and their versions. It ends with the workspace. */
  readonly upstreamWith: (
    packages: Readonly<Record<string, readonly string[]>>,
    options?: UpstreamOptions,
  ) => Promise<TestUpstream>;
  /** Stops a repository before the workspace ends. */
  readonly stop: (upstream: TestUpstream) => Promise<void>;
  /** Writes a libretto.json with the registry's own package acme/app and these Composer repositories. */
  readonly configure: (...composer: readonly Json[]) => void;
  readonly run: (args: readonly string[], environment?: Environment) => Promise<CliOutcome>;
  /** Runs a command with --json. */
  readonly json: (...args: readonly string[]) => Promise<Json>;
  /** Starts `libretto serve`, and returns a function that sends requests with a token. */
  readonly serve: (environment?: Environment) => Promise<(path: string) => Promise<Response>>;
  /** The server's standard error so far. */
  readonly said: () => string;
}

export function composerWorkspace(): ComposerWorkspace {
  const folder = temporaryFolder('composer-repositories');
  mkdirSync(folder.at('packages/app'), { recursive: true });
  writeFileSync(folder.at('packages/app/composer.json'), '{"name": "acme/app", "version": "1.0.0"}');
  const { upstreamWith, stop, stopAll } = createUpstreams();
  let running: RunningCli | undefined;
  const run: ComposerWorkspace['run'] = (args, environment = {}) => runCli(args, { cwd: folder.path, environment });
  return {
    folder,
    upstreamWith,
    stop,
    configure: (...composer) => writeFileSync(folder.at('libretto.json'), configurationWith(composer)),
    run,
    json: async (...args) => {
      const { stdout, stderr } = await run([...args, '--json']);
      if (stdout === '') throw new Error(`${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout) as Json;
    },
    serve: async (environment = {}) => {
      const token = (await run(['token', 'create', '--description', 'CI'])).stdout;
      running = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
      const [url = ''] = await running.shows(/http:\/\/127\.0\.0\.1:\d+/);
      return (path) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    },
    said: () => running?.output().stderr ?? '',
    [Symbol.asyncDispose]: async () => {
      running?.signal('SIGKILL');
      await running?.ended;
      await stopAll();
      await folder.remove();
    },
  };
}

function createUpstreams() {
  const upstreams = new Set<TestUpstream>();
  const stop = async (upstream: TestUpstream): Promise<void> => {
    upstreams.delete(upstream);
    await upstream[Symbol.asyncDispose]();
  };
  const upstreamWith: ComposerWorkspace['upstreamWith'] = async (packages, options = {}) => {
    const upstream = await startUpstream(options);
    upstreams.add(upstream);
    for (const [name, versions] of Object.entries(packages))
      upstream.put(
        name,
        versions.map((version) => ({ version, zip: archiveOf(`${name} ${version}`) })),
      );
    return upstream;
  };
  return {
    upstreamWith,
    stop,
    stopAll: async () => {
      for (const upstream of upstreams) await stop(upstream);
    },
  };
}

const archiveOf = (content: string): Buffer => zipOf([{ name: 'lib/a.txt', data: content }]);

function configurationWith(composer: readonly Json[]): string {
  return JSON.stringify({
    data: 'data',
    egress: { allow: ['127.0.0.0/8'] },
    sources: ['packages', ...composer.map((one) => ({ type: 'composer', ...one }))],
  });
}

/** The versions of a package in a p2 document. */
export const versionsIn = async (response: Response, name: string): Promise<string[]> =>
  Object.values(
    ((await response.json()) as { packages: Record<string, Record<string, { version: string }>> }).packages[name] ?? {},
  ).map(({ version }) => version);
