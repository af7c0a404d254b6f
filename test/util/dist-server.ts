// A web server on a free port of 127.0.0.1 that answers each path as the test defines, and records its requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export interface DistServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** by path without query; any other path is 404 */
  readonly answers: Map<string, Answering>;
}

export async function startDistServer(): Promise<DistServer> {
  const requests: DistServer['requests'] = [];
  const answers: DistServer['answers'] = new Map();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    const answering = answers.get(path.split('?', 1)[0] ?? '');
    if (answering === undefined) response.writeHead(404).end('not found');
    else answering(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    requests,
    answers,
    [Symbol.asyncDispose]: stop,
  };
}

export const answerWith =
  (body: Buffer | string): Answering =>
  (_request, response) =>
    void response.end(body);
export const redirectTo =
  (location: string, status = 302): Answering =>
  (_request, response) =>
    void response.writeHead(status, { location }).end('moved');
