// An object store for tests: an HTTP server with the dialects of AWS, Ceph and a MinIO of 2024. It checks every
// signature to the letter, keeps a log of requests, and has the faults that a test asks for: slow, torn and failing
// requests, expiring credentials, a wrong clock.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Bucket, escaped, xml, type Answer, type Dialect, type HeldObject } from './hostile-store/bucket.ts';
import { checkSignature, Refused, type KnownKeys } from './hostile-store/signature.ts';

export type { Dialect, HeldObject } from './hostile-store/bucket.ts';

export interface HostileStoreOptions {
  readonly dialect?: Dialect;
  readonly bucket?: string;
  readonly region?: string;
  /** of a list */
  readonly pageSize?: number;
  /** the store's clock, in epoch milliseconds */
  readonly now?: () => number;
}

/** One request that arrived. `status`: 0 if the connection was reset in place of an answer. */
export interface LoggedRequest {
  readonly method: string;
  /** undefined: the bucket */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: number;
  status: number;
  /** `NoSuchKey` */
  code?: string;
}

/** What happens to a request in addition, or in place of its answer. */
export interface Fault {
  /** before the request has its effect */
  readonly delayMs?: number;
  /** the answer in place of the right one */
  readonly status?: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is reset: before the effect, after it, or in the middle of the answer. */
  readonly reset?: 'before' | 'after' | 'half-answer';
  /** with `status`: the request has its effect all the same */
  readonly effect?: boolean;
  /** with `status`: it is answered before its body was read */
  readonly early?: boolean;
}

export interface HostileStore extends AsyncDisposable {
  /** `http://127.0.0.1:1234` */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** by key, with prefix: to read, and to place objects of others */
  readonly objects: Map<string, HeldObject>;
  /** the number of unfinished uploads in parts */
  readonly unfinishedUploads: () => number;
  readonly requests: LoggedRequest[];
  /** by access key; one is there from the start */
  readonly keys: Map<string, KnownKeys>;
  /** Asked for each request, with its number from 1 on. */
  fault: (request: LoggedRequest, number: number) => Fault | undefined;
  /** The environment of a client with the key that is there from the start. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export const testKeys = { id: 'LIBRETTOTESTKEY', secret: 'te/st+secret=of/the+hostile/store' };

/** Every `n`-th request has this fault. */
export function everyNth(n: number, fault: Fault): HostileStore['fault'] {
  return (_request, number) => (number % n === 0 ? fault : undefined);
}

export async function startHostileStore(options: HostileStoreOptions = {}): Promise<HostileStore> {
  const {
    dialect = 'aws',
    bucket = 'libretto-test',
    region = 'eu-central-1',
    pageSize = 1000,
    now = Date.now,
  } = options;
  const held = new Bucket(dialect, bucket, pageSize);
  const keys = new Map<string, KnownKeys>([[testKeys.id, { secret: testKeys.secret }]]);
  const requests: LoggedRequest[] = [];
  const rules = { region, keys, now };
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(now()).toUTCString());
    void serve({ request, response, bucket, held, rules, requests, fault: (...asked) => store.fault(...asked) });
  });
  const { endpoint, close } = await listening(server);
  const store: HostileStore = {
    endpoint,
    bucket,
    region,
    requests,
    keys,
    close,
    objects: held.objects,
    unfinishedUploads: () => held.uploads.size,
    fault: () => undefined,
    environment: {
      AWS_ACCESS_KEY_ID: testKeys.id,
      AWS_SECRET_ACCESS_KEY: testKeys.secret,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: region,
    },
    [Symbol.asyncDispose]: close,
  };
  return store;
}

/** On a free port of this machine. `close` ends all connections. */
export async function listening(server: Server): Promise<{ endpoint: string; close: () => Promise<void> }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

interface Served {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bucket: string;
  readonly held: Bucket;
  readonly rules: Parameters<typeof checkSignature>[2];
  readonly requests: LoggedRequest[];
  readonly fault: HostileStore['fault'];
}

async function serve(served: Served): Promise<void> {
  const { request, response, held, requests } = served;
  const url = new URL(request.url ?? '', 'http://store');
  const [, bucket = '', ...path] = url.pathname.split('/');
  const key = path.length === 0 || path.join('/') === '' ? undefined : decodeURIComponent(path.join('/'));
  const writesBefore = held.writesOf(key);
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.[0]]),
  );
  const logged = {
    method: request.method ?? '',
    key,
    query: url.searchParams,
    headers,
    status: 0,
    bytes: Number(headers['content-length'] ?? 0),
  };
  requests.push(logged);
  const fault = served.fault(logged, requests.length) ?? {};
  if (fault.early === true) return send(response, logged, failure(fault), {});
  const body = await bodyOf(request);
  if (body === undefined) return;
  if (fault.delayMs !== undefined) await delay(fault.delayMs);
  if (fault.reset === 'before') return void request.socket.resetAndDestroy();
  if (fault.status !== undefined && fault.effect !== true) return send(response, logged, failure(fault), fault);
  const answer = answerTo(served, { bucket, key, query: url.searchParams, headers, body, writesBefore });
  if (fault.reset === 'after') return void request.socket.resetAndDestroy();
  send(response, logged, fault.status === undefined ? answer : failure(fault), fault);
}

function answerTo(
  { request, bucket: own, held, rules }: Served,
  asked: Omit<Parameters<Bucket['answer']>[0], 'method'> & { readonly bucket: string },
): Answer {
  try {
    checkSignature(request, asked.body, rules);
    if (asked.bucket !== own) throw new Refused(404, 'NoSuchBucket');
    return held.answer({ ...asked, method: request.method ?? '' });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, code, details } = error;
    return failure({ status, code }, details);
  }
}

function failure(
  { status = 500, code = 'InternalError', headers = {} }: Fault,
  details = {},
): Answer & { code: string } {
  const elements = Object.entries({ Code: code, Message: `${code} <&> "message"`, ...details });
  const content = elements.map(([name, text]) => `<${name}>${escaped(String(text))}</${name}>`).join('');
  const answer = xml('Error', content, status);
  return { ...answer, headers: { ...answer.headers, ...headers }, code };
}

function send(response: ServerResponse, logged: LoggedRequest, answer: Answer & { code?: string }, fault: Fault): void {
  const { status, headers, body, code } = answer;
  logged.status = status;
  if (code !== undefined) logged.code = code;
  if (response.destroyed) return;
  response.writeHead(status, { 'content-length': String(body.length), ...headers });
  if (logged.method === 'HEAD') return void response.end();
  if (fault.reset !== 'half-answer') return void response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.resetAndDestroy());
}

/** undefined: the client went away */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
