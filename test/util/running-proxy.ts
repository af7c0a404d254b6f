// A proxy on a free port of loopback over a hand-made tree, with fixed tokens unless a test brings its own
// authenticator; everything else is the real one, sockets included.

import { pino } from 'pino';
import { Agent, type Dispatcher } from 'undici';
import type { Authentication, Authenticator } from '../../proxy/auth/authenticate.ts';
import type { Counters } from '../../proxy/limits/counters.ts';
import { createMemoryCounters } from '../../proxy/limits/memory-counters.ts';
import { parseAddressRange, type AddressRange } from '../../proxy/observe/client-address.ts';
import type { Management } from '../../proxy/manage/api-request.ts';
import { createProxy, type Proxy, type ServerLimits } from '../../proxy/server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { HandMadeTree } from './tree.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly json: () => Record<string, unknown>;
}

export interface RunningProxy extends AsyncDisposable {
  readonly proxy: Proxy;
  readonly tree: HandMadeTree;
  readonly port: number;
  /** the request log so far */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** As holder of the token `reader` unless the headers say otherwise; `authorization: ''` for nobody. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: Dispatcher.HttpMethod) => Promise<Reply>;
  /** With a body, and with the headers as they are; an empty Authorization is left out. */
  readonly send: (method: Dispatcher.HttpMethod, path: string, headers: Readonly<Record<string, string>>, body?: string | Buffer) => Promise<Reply>;
}

export interface RunningOptions {
  /** token → requests an hour, 0 unlimited; a Bearer token of any other name is invalid */
  readonly tokens?: Readonly<Record<string, number>>;
  readonly trustedProxies?: readonly string[];
  readonly metadataUrl?: string;
  /** default: any free one */
  readonly port?: number;
  readonly now?: () => number;
  readonly limits?: Partial<ServerLimits>;
  readonly authenticator?: Authenticator;
  readonly counters?: Counters;
  readonly management?: Management;
}

export async function runProxy(options: RunningOptions = {}): Promise<RunningProxy> {
  const folder = temporaryFolder('proxy');
  const tree = new HandMadeTree(folder.path);
  const lines: Readonly<Record<string, unknown>>[] = [];
  const proxy = createProxy({
    dataDirectory: folder.path,
    host: '127.0.0.1',
    port: options.port ?? 0,
    authenticator: options.authenticator ?? fixedTokens(options.tokens ?? { reader: 1000, unlimited: 0 }),
    counters: options.counters ?? createMemoryCounters(),
    management: options.management,
    log: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    trustedProxies: (options.trustedProxies ?? []).map(range),
    metadataUrl: options.metadataUrl,
    now: options.now ?? Date.now,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const { port } = await proxy.listen().catch(async (error: unknown) => {
    await folder.remove();
    throw error;
  });
  const agent = new Agent({ connections: 16 });
  const get: RunningProxy['get'] = (path, headers = {}, method = 'GET') => send(method, path, { authorization: 'Bearer reader', ...headers });
  const send: RunningProxy['send'] = async (method, path, headers, sentBody) => {
    const { authorization, ...others } = headers;
    const answer = await agent.request({ origin: `http://127.0.0.1:${port}`, path, method, headers: authorization === '' ? others : headers, ...(sentBody === undefined ? {} : { body: sentBody }) });
    const body = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body, json: () => JSON.parse(body.toString()) as Record<string, unknown> };
  };
  const dispose = async (): Promise<void> => {
    await agent.close();
    await proxy.close();
    await folder.remove();
  };
  return { proxy, tree, port, lines, get, send, [Symbol.asyncDispose]: dispose };
}

function fixedTokens(limits: Readonly<Record<string, number>>): Authenticator {
  return {
    authenticate: (authorization): Authentication => {
      if (authorization === undefined) return { outcome: 'absent' };
      const name = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
      const limit = limits[name];
      return limit === undefined ? { outcome: 'invalid' } : ({ outcome: 'valid', token: { id: `tok_${name}`, kind: 'read', limit } } as Authentication);
    },
  };
}

function range(text: string): AddressRange {
  const parsed = parseAddressRange(text);
  if (parsed === undefined) throw new Error(`not an address range: ${text}`);
  return parsed;
}
