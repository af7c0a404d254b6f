// A proxy between Composer and the registry. It forwards every request unchanged, byte for byte in the target, and
// records requests and answers. A test may answer a request itself (`answer`) or damage an answer of the registry
// (`damage`).

import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Recorded {
  readonly method: string;
  /** the raw request target, exactly as received */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly status: number;
  /** bytes of the answer's body as sent */
  readonly bytes: number;
  readonly answerHeaders: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RecordingProxy {
  readonly url: string;
  /** `127.0.0.1:<port>`, the key for Composer's auth.json */
  readonly host: string;
  readonly requests: Recorded[];
  /** returns the targets since the last call, and forgets them */
  readonly take: () => string[];
  /** most connections that were open at once */
  readonly mostConnections: () => number;
  /** answers instead of the registry where set; undefined passes the request on */
  answer: ((target: string) => Answer | undefined) | undefined;
  /** changes a body for the client where set; Content-Length follows */
  damage: ((target: string, body: Buffer) => Buffer) | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Listens on a free port of 127.0.0.1. `upstream` is called for each request, so that a registry may return on another
 * port.
 */
export async function startRecordingProxy(upstream: () => string): Promise<RecordingProxy> {
  const requests: Recorded[] = [];
  const sockets = new Set<Socket>();
  let most = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const server = createServer(async (incoming, outgoing) => {
    const own = front.answer?.(incoming.url ?? '');
    const answer = own === undefined ? await forward(incoming, upstream(), agent) : forwardedAs(own);
    requests.push(send(incoming, outgoing, answer, front.damage));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const front: RecordingProxy = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    take: () => requests.splice(0).map(({ target }) => target),
    mostConnections: () => most,
    answer: undefined,
    damage: undefined,
    close: async () => {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}

/** Sends an answer, with its body damaged where a test requests that, and returns its record. */
function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, raw, body: whole }: Forwarded,
  damage: RecordingProxy['damage'],
): Recorded {
  const { method = '', url: target = '' } = incoming;
  const body = damage === undefined ? whole : damage(target, whole);
  if (body === whole && raw !== undefined) outgoing.writeHead(status, raw);
  else outgoing.writeHead(status, { ...headers, 'content-length': String(body.length) });
  outgoing.end(body);
  return { method, target, headers: incoming.headers, status, bytes: body.length, answerHeaders: headers };
}

const forwardedAs = ({ status, headers, body = '' }: Answer): Forwarded => ({
  status,
  headers: { ...headers },
  raw: undefined,
  body: Buffer.from(body),
});

interface Forwarded {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly raw: string[] | undefined;
  readonly body: Buffer;
}

/** A missing registry becomes 502, as with any real proxy. */
function forward(incoming: IncomingMessage, upstream: string, agent: Agent): Promise<Forwarded> {
  const { hostname, port } = new URL(upstream);
  return new Promise((resolve) => {
    const failed = (error: Error): void =>
      resolve({ status: 502, headers: {}, raw: undefined, body: Buffer.from(error.message) });
    const outgoing = httpRequest(
      { agent, hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            raw: response.rawHeaders,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    outgoing.on('error', failed);
    incoming.pipe(outgoing);
  });
}
