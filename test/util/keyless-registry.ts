// The compiled service with trusted publishers, and a CI system on a real socket that gives ID tokens to its jobs.

import { createServer } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';

import { startOidcIssuer } from './oidc-issuer.ts';
import { githubClaims, gitlabClaims } from './publisher-claims.ts';
import { serveTree, type RunningServer } from './registry.ts';
import { runCli, type CliOutcome } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

export interface KeylessRegistry extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  /** of the registry, for its clients */
  readonly url: string;
  /** a command on the host of the registry */
  readonly host: (...args: readonly string[]) => Promise<CliOutcome>;
  readonly json: (...args: readonly string[]) => Promise<Record<string, unknown>>;
  /** what GitHub gives to a job that may ask for an ID token */
  readonly githubJob: (claims?: object) => Record<string, string>;
  readonly gitlabToken: (claims?: object) => Promise<string>;
  /** all tokens that trusted publishers gave out so far */
  readonly jobTokens: () => Promise<readonly Record<string, unknown>[]>;
}

const requestToken = 'the-secret-of-the-runner';

/** A package acme/lib 1.0.0 is published; the publishers are those of the test. */
export async function startKeylessRegistry(build: (folder: TemporaryFolder) => string): Promise<KeylessRegistry> {
  const folder = temporaryFolder('keyless');
  const [github, gitlab] = await Promise.all([startOidcIssuer('/_services/token'), startOidcIssuer()]);
  const url = `http://127.0.0.1:${await freePort()}`;
  const listen = url.slice('http://'.length);
  writeSettings(folder, { publicUrl: url, listen, oidcIssuers: [`github=${github.url}`, `gitlab=${gitlab.url}`] });
  const host = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
  const built = await host('build', build(folder));
  if (built.exitCode !== 0) throw new Error(built.stderr);
  const server: RunningServer = await serveTree(folder.path, folder.at('data'), ['--listen', listen]);
  const runner = await startRunner((audience, claims) =>
    github.sign(githubClaims({ issuer: github.url, nowMs: Date.now() }, { aud: audience, ...claims })),
  );
  const json: KeylessRegistry['json'] = async (...args) => {
    const { stdout, stderr } = await host(...args, '--json');
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return {
    folder,
    url,
    host,
    json,
    githubJob: runner.job,
    gitlabToken: (claims = {}) =>
      gitlab.sign(gitlabClaims({ issuer: gitlab.url, nowMs: Date.now() }, { aud: url, ...claims })),
    jobTokens: async () => {
      const { tokens } = (await json('token', 'list')) as { tokens: Record<string, unknown>[] };
      return tokens.filter(({ created_by: by }) => String(by).startsWith('publisher:'));
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await Promise.all([github, gitlab].map((issuer) => issuer[Symbol.asyncDispose]()));
      runner.close();
      await folder.remove();
    },
  };
}

function writeSettings(folder: TemporaryFolder, more: object): void {
  const settings = { data: 'data', egress: { allow: ['127.0.0.0/8'] }, ...more };
  writeFileSync(folder.at('libretto.json'), JSON.stringify(settings));
}

interface Runner {
  readonly job: KeylessRegistry['githubJob'];
  readonly close: () => void;
}

/** Answers the requests of jobs for ID tokens, as GitHub does. */
async function startRunner(sign: (audience: string, claims: object) => Promise<string>): Promise<Runner> {
  const jobs: object[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://runner');
    const claims = jobs[Number(pathname.slice(1))];
    const isRight = request.headers.authorization?.toLowerCase() === `bearer ${requestToken}`;
    const audience = searchParams.get('audience');
    if (!isRight || claims === undefined || audience === null || searchParams.get('api-version') !== '2')
      return void response.writeHead(401).end();
    void sign(audience, claims).then((value) => response.end(JSON.stringify({ count: value.length, value })));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    job: (claims = {}) => ({
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/${jobs.push(claims) - 1}?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The registry has to know its address before it starts. */
async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => void socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => void socket.close(resolve));
  return port;
}
