// A registry with a policy that a test changes: published packages, a mirrored repository, tokens with views, and a
// clock. Only the parts around the policy are chosen by the test; the policy, the mirror and the server are the real
// ones.

import { noAdvisories, type AdvisoryLists } from '../../build/contract/advisory-lists.ts';
import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import type { Authentication } from '../../proxy/core/tokens/authenticate.ts';
import { createMirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import { noOutsideLists, type OutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { createHits } from '../../proxy/policy/apply/hits.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { createPolicyReader, type PolicyReader, type PolicySources } from '../../proxy/policy/apply/policy-reader.ts';
import { createRegistryPolicy } from '../../proxy/policy/apply/registry-policy.ts';
import { parsePolicy } from '../../proxy/policy/model/parse-policy.ts';
import type { ReviewDecision } from '../../proxy/policy/records/review-decisions.ts';
import { noPolicy, type PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { settingDefinitions, type SettingValues } from '../../proxy/settings/definitions.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { TreeFiles } from '../../proxy/core/tree/tree-files.ts';
import { createLocalFiles } from '../../proxy/core/tree/local-files.ts';
import { compileView, type ViewLimits } from '../../proxy/core/views/compile-view.ts';
import { HandMadeTree } from './hand-made-tree.ts';
import { packageName, runMirror, standardRules, type RunningMirror } from './running-mirror.ts';
import { runProxy, type Reply, type RunningProxy } from './running-proxy.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { startUpstream, type TestUpstream } from './upstream.ts';

export interface PolicedRegistry extends AsyncDisposable {
  readonly tree: HandMadeTree;
  readonly upstream: TestUpstream;
  readonly mirror: RunningMirror;
  readonly state: StateStore;
  readonly proxy: RunningProxy;
  /** epoch milliseconds; the test moves it */
  readonly clock: { nowMs: number };
  /** throws for a faulty policy */
  readonly setPolicy: (given: JsonObject) => void;
  readonly setDecisions: (decisions: readonly ReviewDecision[]) => void;
  readonly setSettings: (values: Partial<SettingValues>) => void;
  readonly setLists: (own: AdvisoryLists, outside?: OutsideLists) => void;
  /** `token`: one of the given ones, default `reader`; `agent`: the User-Agent */
  readonly get: (path: string, token?: string, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
  /** the offered versions of a document; undefined: 404 */
  readonly offered: (name: string, token?: string, dev?: boolean) => Promise<readonly string[] | undefined>;
  /** resolves after every noted hit is stored */
  readonly settled: () => Promise<void>;
  readonly counts: () => ReadonlyMap<string, number>;
}

export interface PolicedOptions {
  /** the folder of the mirror, which another registry uses, too */
  readonly at?: TemporaryFolder;
  /** addresses of further upstreams, asked after the own one; or of all, if `alone` */
  readonly upstreams?: readonly string[];
  readonly alone?: boolean;
}

/** `views`: token → its limits; the token `reader` has none. */
export async function policedRegistry(
  views: Readonly<Record<string, Partial<ViewLimits>>> = {},
  options: PolicedOptions = {},
): Promise<PolicedRegistry> {
  const folder = temporaryFolder('policed');
  const upstream = await startUpstream({});
  const state = createMemoryStore();
  const [given, clock] = [policySources(), { nowMs: Date.parse('2026-06-01T12:00:00Z') }];
  const now = (): number => clock.nowMs;
  const files = createLocalFiles({ dataDirectory: folder.path, cacheBytes: 8 * 1024 ** 2, onNewer: () => undefined });
  const { reader, hits, releases } = openPolicy(given.sources, { files, state, now });
  const mirror = policedMirror(upstream.url, options, reader, now);
  const proxy = await runProxy({
    files,
    now,
    policy: releases,
    dataDirectory: folder.path,
    mirrored: createMirroredTree(mirror.mirror, 1024 ** 2, undefined, releases),
    authenticator: { authenticate: authenticateBy(views) },
  });
  const get: PolicedRegistry['get'] = (path, token = 'reader', headers = {}) =>
    proxy.get(path, { authorization: `Bearer ${token}`, ...headers });
  return {
    ...given,
    tree: new HandMadeTree(folder.path),
    upstream,
    mirror,
    state,
    proxy,
    clock,
    get,
    offered: async (name, token, dev) => offeredIn(await get(`/p2/${name}${dev ? '~dev' : ''}.json`, token), name),
    settled: hits.settled,
    counts: hits.counts,
    [Symbol.asyncDispose]: async () => {
      for (const part of [proxy, mirror, upstream]) await part[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

/** A failure to store a hit ends the test. */
function openPolicy(
  sources: PolicySources,
  { files, state, now }: { readonly files: TreeFiles; readonly state: StateStore; readonly now: () => number },
) {
  const reader = createPolicyReader(sources);
  const onError = (error: unknown): void => {
    throw error;
  };
  const hits = createHits({ store: createAuditedStore({ store: state, now }), onError, onDropped: onError });
  return { reader, hits, releases: createRegistryPolicy({ reader, files, hits, cacheBytes: 1024 ** 2 }) };
}

/** With the time limits of a server. */
const slowClient = {
  allowAddresses: ['127.0.0.0/8'],
  userAgent: 'Libretto/test',
  limits: { documentMs: 30_000, archiveMs: 30_000, idleTimeoutMs: 20_000 },
};

function policedMirror(
  own: string,
  { at: folder, upstreams: others = [], alone = false }: PolicedOptions,
  reader: PolicyReader,
  now: () => number,
): RunningMirror {
  let last: MirrorRules | undefined;
  const upstreams = [...(alone ? [] : [own]), ...others].map((url, at) => ({
    id: `u${at + 1}`,
    url,
    allow: [],
    deny: [],
  }));
  return runMirror([], {
    now,
    ...(folder === undefined ? {} : { at: folder }),
    client: slowClient,
    // one object while the policy is the same, as in a server
    rules: async () => {
      const policy = await reader.current(now());
      if (last?.releases.policy !== policy) {
        const { purged } = standardRules.releases;
        last = { ...standardRules, upstreams, releases: { policy, purged } };
      }
      return last;
    },
  });
}

/** The policy, settings and lists that the test sets. */
function policySources() {
  let document: PolicyDocument = noPolicy;
  let decided: readonly ReviewDecision[] = [];
  let lists = { own: noAdvisories, outside: undefined as OutsideLists | undefined };
  let values = Object.fromEntries(
    Object.entries(settingDefinitions).map(([key, { standard }]) => [key, standard]),
  ) as unknown as SettingValues;
  return {
    sources: {
      settings: { current: () => values },
      document: () => document,
      decisions: () => decided,
      own: { read: () => lists.own },
      outside: () => lists.outside ?? noOutsideLists,
    },
    setPolicy: (json: JsonObject): void => {
      const parsed = parsePolicy(json as JsonValue);
      if ('issues' in parsed) throw new Error(JSON.stringify(parsed.issues));
      document = parsed.policy;
    },
    setDecisions: (decisions: readonly ReviewDecision[]): void => {
      decided = decisions;
    },
    setSettings: (changes: Partial<SettingValues>): void => {
      values = { ...values, ...changes };
    },
    setLists: (own: AdvisoryLists, outside?: OutsideLists): void => {
      lists = { own, outside };
    },
  };
}

function authenticateBy(views: Readonly<Record<string, Partial<ViewLimits>>>) {
  const none: ViewLimits = { packages: null, constraints: null, stability: null, not_after: null };
  const known = new Map(
    Object.entries({ reader: {}, ...views }).map(([name, limits]) => [name, compileView({ ...none, ...limits })]),
  );
  return (authorization: string | undefined): Authentication => {
    const name = authorization?.replace(/^Bearer /, '') ?? '';
    return known.has(name)
      ? ({
          outcome: 'valid',
          token: { id: `tok_${name}`, kind: 'read', limit: 0, view: known.get(name), networks: undefined },
        } as unknown as Authentication)
      : { outcome: 'invalid' };
  };
}

function offeredIn(reply: Reply, name: string): readonly string[] | undefined {
  if (reply.status === 404) return undefined;
  if (reply.status !== 200) throw new Error(`${name}: ${reply.status} ${reply.body.toString()}`);
  const packages = reply.json()['packages'] as Record<string, Record<string, { readonly version: string }>>;
  return Object.values(packages[packageName(name)] ?? {}).map(({ version }) => version);
}
