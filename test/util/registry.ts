// A whole registry for a test: a data folder of its own, the compiled command for everything, a server on a free port,
// and a recording front. It imports no file of the product and uses the product as its users do.

import { writeFileSync } from 'node:fs';
import { assertNoSecretsBelow } from './leaks.ts';
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.ts';
import { runCli, startCli, type CliOutcome } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

export interface Registry extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly data: string;
  readonly front: RecordingProxy;
  /** the address for Composer: the front */
  readonly url: string;
  /** the server itself */
  readonly direct: () => string;
  /** a read token, created at the start */
  readonly token: string;
  readonly tokenId: string;
  readonly createToken: (...flags: readonly string[]) => Promise<{ readonly id: string; readonly token: string }>;
  readonly cli: (...args: readonly string[]) => Promise<CliOutcome>;
  /** builds, expects exit code 0, and returns the report */
  readonly build: (...args: readonly string[]) => Promise<BuildReport>;
  /** the server's request log so far */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly stopServer: () => Promise<void>;
  readonly startServer: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The parts of `build --json` that tests look at. */
export interface BuildReport {
  readonly added: readonly { readonly name: string; readonly version: string }[];
  readonly changed: readonly { readonly name: string; readonly version: string }[];
  readonly withdrawn: readonly { readonly name: string; readonly version: string }[];
  readonly quarantined: readonly {
    readonly name: string | null;
    readonly version: string | null;
    readonly code: string;
    readonly message: string;
    readonly where: string;
  }[];
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
}

export interface RegistryOptions {
  readonly sources?: readonly string[];
  readonly serve?: readonly string[];
  readonly build?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly loopback?: boolean;
  /** writes further files, before the first command */
  readonly prepare?: (folder: TemporaryFolder) => void;
}

/**
 * Builds `sources`, creates a token, and serves. `serve` has further flags of the serve command, `settings` the
 * settings before the start. `loopback`: it may send requests to loopback
 * addresses.
 */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const folder = temporaryFolder('registry');
  const data = folder.at('data');
  const cli = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli([...args, '--data', data], { cwd: folder.path });
  const { build, createToken, set } = commandsOf(cli);
  const { sources = [], settings = {}, serve = [] } = options;
  options.prepare?.(folder);
  if (sources.length > 0) await build(...sources, ...(options.build ?? []));
  const first = await createToken();
  if (options.loopback === true)
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  for (const [name, value] of Object.entries(settings)) await set(name, value);
  let server = await serveTree(folder.path, data, serve);
  const front = await startRecordingProxy(() => server.url);
  const stop = async (): Promise<void> => {
    await front.close();
    await server.stop();
    assertNoSecretsBelow(data);
    await folder.remove();
  };
  return {
    folder,
    data,
    front,
    url: front.url,
    direct: () => server.url,
    token: first.token,
    tokenId: first.id,
    createToken,
    cli,
    build,
    log: () => server.log(),
    stopServer: () => server.stop(),
    startServer: async () => void (server = await serveTree(folder.path, data, serve)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The commands that must succeed. */
function commandsOf(cli: Registry['cli']) {
  return {
    build: async (...args: readonly string[]): Promise<BuildReport> => {
      const { exitCode, stdout, stderr } = await cli('build', '--json', ...args);
      if (exitCode !== 0) throw new Error(`build ${args.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as BuildReport;
    },
    createToken: async (...flags: readonly string[]) => {
      const { exitCode, stdout, stderr } = await cli('token', 'create', '--json', '--description', 'a test', ...flags);
      if (exitCode !== 0) throw new Error(`token create ended with ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as { id: string; token: string };
    },
    set: async (name: string, value: string): Promise<void> => {
      const { exitCode, stderr } = await cli('settings', 'set', name, value);
      if (exitCode !== 0) throw new Error(`settings set ${name} ended with ${exitCode}: ${stderr}`);
    },
  };
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly stop: () => Promise<void>;
}

/** `libretto serve` on a free port, up and listening. */
export async function serveTree(cwd: string, data: string, flags: readonly string[]): Promise<RunningServer> {
  const child = startCli(
    ['serve', '--data', data, ...(flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0']), ...flags],
    { cwd },
  );
  const [, url = ''] = await child.shows(/^Serving .* on (http:\/\/127\.0\.0\.1:\d+)/m);
  return {
    url,
    pid: child.pid,
    log: () =>
      child
        .output()
        .stdout.split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    stop: async () => {
      child.signal('SIGTERM');
      await child.ended;
    },
  };
}
