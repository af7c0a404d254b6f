// A receiver of webhooks on a real socket. It keeps each request, and answers as the test says.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type AnswerRequest = (response: ServerResponse, request: ReceivedRequest) => void;

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** the answer to all later requests; at first: 204 */
  readonly answer: (answer: AnswerRequest) => void;
  readonly forget: () => void;
}

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): AnswerRequest =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export async function startReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  let answer: AnswerRequest = answering(204);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const received = {
        path: request.url ?? '',
        headers: single(request.headers),
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(received);
      answer(response, received);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (next) => void (answer = next),
    forget: () => void (requests.length = 0),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

function single(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
