// A proxy on a free port of loopback with a hand-made tree, and with fixed tokens unless a test provides an
// authenticator; all other parts are real, sockets included. Every answer to Composer's requests is checked against the
// API document.

import { pino } from 'pino';
import { Agent, type Dispatcher } from 'undici';
import { version } from '../../cli/io/version.ts';
import type { Authentication, Authenticator } from '../../proxy/core/tokens/authenticate.ts';
import type { Counters } from '../../proxy/core/limits/counters.ts';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { createRequestLog } from '../../proxy/core/observe/request-log.ts';
import { parseAddressRange, type AddressRange } from '../../proxy/core/http/client-address.ts';
import { createApi } from '../../proxy/manage/frame/api.ts';
import { describeApi } from '../../proxy/manage/openapi/document.ts';
import type { ApiDocument } from '../../proxy/manage/openapi/schema.ts';
import { describeProtocol } from '../../proxy/manage/routes/protocol.ts';
import { andThen } from '../../build/shared/concurrency/maybe-async.ts';
import { rootChanges } from '../../proxy/core/tree/root-document.ts';
import { createProxy, type Proxy, type ProxyOptions } from '../../proxy/core/server.ts';
import { publicPath } from '../../proxy/core/http/node-path.ts';
import { createAdvisoryAnswers } from '../../proxy/advisories/advisory-answers.ts';
import { createChangeFeed } from '../../proxy/changes/change-feed.ts';
import { createAtomFeeds, type AtomFeedParts } from '../../proxy/atom/atom-feeds.ts';
import type { CountUse } from '../../proxy/core/protocol/archive-answers.ts';
import { createInstallReports } from '../../proxy/install-reports/install-reports.ts';
import type { MirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import type { Feature } from '../../proxy/core/protocol/feature.ts';
import { createSearchFeature } from '../../proxy/search/feature.ts';
import type { Lookups } from '../../proxy/search/lookups.ts';
import { createLocalFiles } from '../../proxy/core/tree/local-files.ts';
import type { PublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { defaultServerLimits, type ServerLimits } from '../../proxy/core/http/server-limits.ts';
import { createAnswerCheck } from './api-document.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { HandMadeTree } from './hand-made-tree.ts';

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
  /** Sends a request with the token `reader` unless the headers name another; `authorization: ''` sends none. */
  readonly get: (
    path: string,
    headers?: Readonly<Record<string, string>>,
    method?: Dispatcher.HttpMethod,
  ) => Promise<Reply>;
  /** Sends a request with a body and exactly these headers; an empty Authorization is omitted. */
  readonly send: (
    method: Dispatcher.HttpMethod,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string | Buffer,
  ) => Promise<Reply>;
}

export interface RunningOptions {
  /** token → requests an hour, 0 unlimited; a Bearer token of any other name is invalid */
  readonly tokens?: Readonly<Record<string, number>>;
  readonly trustedProxies?: readonly string[];
  readonly metadataUrl?: string | (() => string | undefined | Promise<string | undefined>);
  readonly uses?: ProxyOptions['uses'];
  /** default: any free one */
  readonly port?: number;
  readonly now?: () => number;
  readonly limits?: Partial<ServerLimits>;
  readonly authenticator?: Authenticator;
  readonly counters?: Counters;
  readonly management?: Feature;
  /** more features, such as the console */
  readonly features?: readonly Feature[];
  /** the served folder, instead of a hand-made tree */
  readonly dataDirectory?: string;
  readonly onDownload?: CountUse;
  readonly onInstall?: CountUse;
  readonly rootChanges?: ProxyOptions['rootChanges'];
  readonly lookups?: Lookups | undefined;
  readonly feeds?: Omit<AtomFeedParts, 'files'> | undefined;
  readonly advisories?: PublishedAdvisories | undefined;
  readonly tombstones?: ProxyOptions['tombstones'];
  readonly counts?: ProxyOptions['counts'];
  readonly workerStatus?: ProxyOptions['workerStatus'];
  readonly readState?: ProxyOptions['readState'];
  /** served with TLS: `get` and `send` do not work with it */
  readonly certificate?: ProxyOptions['certificate'];
  /** the origin of the tree, instead of a folder */
  readonly files?: ProxyOptions['files'];
  readonly mirrored?: MirroredTree | undefined;
  readonly policy?: ProxyOptions['policy'];
}

const protocolCheck = createAnswerCheck(describeProtocolAlone());

/** The routes of Composer, as the API document describes them. */
function describeProtocolAlone(): ApiDocument {
  const api = createApi();
  describeProtocol(api);
  return describeApi(api, version);
}

export async function runProxy(options: RunningOptions = {}): Promise<RunningProxy> {
  const folder = temporaryFolder('proxy');
  const tree = new HandMadeTree(folder.path);
  const lines: Readonly<Record<string, unknown>>[] = [];
  const keep = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const dataDirectory = options.dataDirectory ?? folder.path;
  const log = pino({ base: null }, { write: keep });
  const files =
    options.files ??
    createLocalFiles({
      dataDirectory,
      cacheBytes: options.limits?.cacheBytes ?? defaultServerLimits.cacheBytes,
      onNewer: (err) => log.error({ err }, 'a newer version of Libretto has published'),
    });
  const proxy = await createProxy({
    ...proxyOptions(options, files),
    dataDirectory,
    log,
    logRequest: createRequestLog(keep, options.now ?? Date.now),
  });
  const { port } = await proxy.listen().catch(async (error: unknown) => {
    await folder.remove();
    throw error;
  });
  const agent = new Agent({ connections: 16 });
  const send = createSend(agent, port);
  const get: RunningProxy['get'] = (path, headers = {}, method = 'GET') =>
    send(method, path, { authorization: 'Bearer reader', ...headers });
  const dispose = async (): Promise<void> => {
    await agent.close();
    await proxy.close();
    await folder.remove();
  };
  return { proxy, tree, port, lines, get, send, [Symbol.asyncDispose]: dispose };
}

/** All settings except the log and the data folder. */
function proxyOptions(
  options: RunningOptions,
  files: TreeFiles,
): Omit<ProxyOptions, 'dataDirectory' | 'log' | 'logRequest'> {
  const { metadataUrl } = options;
  return {
    // test/vitest.config.ts runs the HTTP tests once more with it
    nodePath: process.env['TEST_NODE_PATH'] === 'public' ? publicPath : undefined,
    onDownload: options.onDownload,
    workerStatus: options.workerStatus,
    features: featuresOf(options, files),
    tombstones: options.tombstones,
    counts: options.counts,
    readState: options.readState,
    certificate: options.certificate,
    files,
    mirrored: options.mirrored,
    policy: options.policy,
    host: '127.0.0.1',
    port: options.port ?? 0,
    authenticator: options.authenticator ?? fixedTokens(options.tokens ?? { reader: 1000, unlimited: 0 }),
    counters: options.counters ?? createMemoryCounters(),
    uses: options.uses,
    trustedProxies: (options.trustedProxies ?? []).map(range),
    rootChanges:
      options.rootChanges ??
      (() => andThen(typeof metadataUrl === 'function' ? metadataUrl() : metadataUrl, (url) => rootChanges(url))),
    now: options.now ?? Date.now,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  };
}

function createSend(agent: Agent, port: number): RunningProxy['send'] {
  return async (method, path, headers, sentBody) => {
    const { authorization, ...others } = headers;
    const answer = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path,
      method,
      headers: authorization === '' ? others : headers,
      ...(sentBody === undefined ? {} : { body: sentBody }),
    });
    const body = Buffer.from(await answer.body.arrayBuffer());
    const reply = {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      body,
      json: () => JSON.parse(body.toString()) as Record<string, unknown>,
    };
    if (!path.startsWith('/api/')) protocolCheck.check(method, path, reply);
    return reply;
  };
}

/** The services as cli/features/ composes them. */
function featuresOf(
  { lookups, feeds, advisories, onInstall, management, mirrored, policy, features = [] }: RunningOptions,
  files: TreeFiles,
): readonly Feature[] {
  return [
    ...(lookups === undefined ? [] : [createSearchFeature(lookups)]),
    ...(feeds === undefined ? [] : [createAtomFeeds({ ...feeds, files })]),
    createChangeFeed({ files, policy: policy ?? { rules: () => undefined } }),
    ...(onInstall === undefined ? [] : [createInstallReports({ files, mirrored, onInstall })]),
    ...(advisories === undefined ? [] : [createAdvisoryAnswers({ files, advisories, mirrored })]),
    ...(management === undefined ? [] : [management]),
    ...features,
  ];
}

function fixedTokens(limits: Readonly<Record<string, number>>): Authenticator {
  return {
    authenticate: (authorization): Authentication => {
      if (authorization === undefined) return { outcome: 'absent' };
      const name = authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
      const limit = limits[name];
      return limit === undefined
        ? { outcome: 'invalid' }
        : ({ outcome: 'valid', token: { id: `tok_${name}`, kind: 'read', limit } } as Authentication);
    },
  };
}

function range(text: string): AddressRange {
  const parsed = parseAddressRange(text);
  if (parsed === undefined) throw new Error(`not an address range: ${text}`);
  return parsed;
}
