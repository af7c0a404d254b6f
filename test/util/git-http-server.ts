// A git server on loopback: git's own http-backend behind a small HTTP server, with the failures of a real one as
// switches. It counts its requests, so that a test can prove that nothing was fetched. git-hostile-answers.ts has the
// hostile answers.

import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { hostileAnswers, type HostileBehaviour } from './git-hostile-answers.ts';
import { testGitEnvironment } from './git-repository.ts';

export type Behaviour =
  | 'well'
  | 'hang'
  | 'refuse'
  | 'fail'
  | 'askForPassword'
  | 'failFetches'
  | 'hangFetches'
  | { readonly onlyWith: string }
  | { readonly hangAfterGets: number; readonly until?: Promise<void> }
  | HostileBehaviour;

export interface GitHttpServer {
  /** without a slash at its end; a repository is at `<url>/<folder>` */
  readonly url: string;
  readonly port: number;
  /** `GET info/refs`, `POST git-upload-pack`, in the order of arrival */
  readonly requests: readonly string[];
  /** the received Authorization headers */
  readonly authorizations: readonly string[];
  /** sets the behaviour from now on */
  behave: (how: Behaviour) => void;
  /** Ends all connections at once, like a server that dies. */
  readonly sever: () => void;
  readonly close: () => Promise<void>;
}

/** Serves the repositories below `root`. */
export async function startGitHttpServer(root: string): Promise<GitHttpServer> {
  const requests: string[] = [];
  const authorizations: string[] = [];
  let behaviour: Behaviour = 'well';
  let getsSince = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method ?? ''} ${url.pathname.replace(/^.*\.git\/|^\/[^/]+\//, '')}`);
    if (request.headers.authorization !== undefined) authorizations.push(request.headers.authorization);
    const backend = (): void => runBackend(root, url, request, response);
    if (typeof behaviour === 'object' && 'hangAfterGets' in behaviour) {
      if (request.method !== 'GET' || getsSince < behaviour.hangAfterGets) backend();
      else void behaviour.until?.then(backend);
      if (request.method === 'GET') getsSince += 1;
    } else if (typeof behaviour === 'object' && 'onlyWith' in behaviour) {
      if (request.headers.authorization === behaviour.onlyWith) backend();
      else askForPassword(response);
    } else if (typeof behaviour === 'object') hostileAnswers(behaviour, url, request, response, backend);
    else behavePlainly(behaviour, requests.filter((each) => each.startsWith('GET')).length, request, response, backend);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    authorizations,
    behave: (how) => {
      behaviour = how;
      getsSince = 0;
    },
    sever: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function askForPassword(response: ServerResponse): void {
  response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
}

/** `gets`: the number of requests so far. */
function behavePlainly(
  behaviour: Extract<Behaviour, string>,
  gets: number,
  request: IncomingMessage,
  response: ServerResponse,
  backend: () => void,
): void {
  if (behaviour === 'hang' || (behaviour === 'hangFetches' && gets > 1)) return;
  if (behaviour === 'refuse') response.writeHead(404).end();
  else if (behaviour === 'fail' || (behaviour === 'failFetches' && request.method === 'POST'))
    response.writeHead(500).end();
  else if (behaviour === 'askForPassword' && request.headers.authorization === undefined) askForPassword(response);
  else backend();
}

/** CGI (RFC 3875), as far as http-backend needs it. */
function runBackend(root: string, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const child = spawn('git', ['http-backend'], {
    env: {
      ...testGitEnvironment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined); // the backend may leave the request unread
  let head = Buffer.alloc(0);
  const takeHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    child.stdout.off('data', takeHead);
    const headers = Object.fromEntries(
      head
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const { Status: status = '200', ...rest } = headers;
    response.writeHead(Number.parseInt(status, 10), rest);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on('data', takeHead);
}
