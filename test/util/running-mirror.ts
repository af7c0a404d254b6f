// A mirror on a folder of its own, with a clock and private names that the test sets. Its upstreams are on loopback,
// which is allowed here.

import { type PackageName, parsePackageName } from '../../build/contract/name.ts';
import { allHeaders, type Answer } from '../../proxy/core/http/answer.ts';
import type { MirrorEvent } from '../../proxy/mirror/upstream/mirror-event.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { Mirror, type MirrorOptions } from '../../proxy/mirror/mirror.ts';
import { noRules } from '../../proxy/mirror/rules/release-rules.ts';
import { compileView } from '../../proxy/core/views/compile-view.ts';
import { noLimits } from '../../proxy/core/views/token-limits.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';

export interface MirrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** the error that ended the transfer */
  readonly broken: string | undefined;
  readonly json: () => {
    readonly packages: Readonly<Record<string, readonly Record<string, never>[]>>;
    readonly [key: string]: unknown;
  };
}

export interface RunningMirror extends AsyncDisposable {
  readonly mirror: Mirror;
  readonly folder: TemporaryFolder;
  readonly events: MirrorEvent[];
  readonly privates: Set<string>;
  /** epoch milliseconds; the test moves it */
  readonly clock: { nowMs: number };
  readonly setRules: (rules: Partial<MirrorRules>) => void;
  readonly provider: (
    name: string,
    stability?: 'stable' | 'dev',
    headers?: { readonly ifModifiedSince?: string | undefined },
  ) => Promise<MirrorReply | undefined>;
  readonly archive: (name: string, version: string, reference?: string) => Promise<MirrorReply | undefined>;
  readonly of: (kind: MirrorEvent['kind']) => readonly MirrorEvent[];
  /** the failures so far, as the log has them */
  readonly messages: () => readonly string[];
}

export const standardRules: MirrorRules = {
  reserved: [],
  sharedVendors: [],
  upstreams: [],
  releases: noRules,
  freshness: { freshMs: 600_000, missingMs: 60_000, goneAfterMs: 900_000 },
  distBaseUrl: undefined,
};

export function packageName(text: string): PackageName {
  const name = parsePackageName(text);
  if (name === undefined) throw new Error(`not a name: ${text}`);
  return name;
}

/** `rules.upstreams`, or the addresses of upstreams in their order. */
export function runMirror(
  upstreams: readonly string[],
  options: Partial<MirrorOptions> & { readonly set?: Partial<MirrorRules>; readonly at?: TemporaryFolder } = {},
): RunningMirror {
  const folder = options.at ?? temporaryFolder('mirror');
  const events: MirrorEvent[] = [];
  const privates = new Set<string>();
  const clock = { nowMs: Date.now() };
  let epoch = 1;
  let rules: MirrorRules = {
    ...standardRules,
    upstreams: upstreams.map((url, index) => ({ id: `u${index + 1}`, url, allow: [], deny: [] })),
    ...options.set,
  };
  const mirror = new Mirror({
    ...standardOptions,
    folder: folder.at('mirror'),
    privateNames: () => privateNamesOf(privates),
    rules: () => rules,
    now: () => clock.nowMs,
    report: (event) => events.push(event),
    ...options,
  });
  return {
    mirror,
    folder,
    events,
    privates,
    clock,
    setRules: (changes) => (rules = { ...rules, ...changes }),
    ...requestsTo(mirror, () => ({ nowMs: clock.nowMs, epoch: (epoch += 1) })),
    of: (kind) => events.filter((event) => event.kind === kind),
    messages: () => events.flatMap((event) => ('message' in event ? [event.message] : [])),
    [Symbol.asyncDispose]: async () => {
      await mirror.close();
      if (options.at === undefined) await folder.remove();
    },
  };
}

const privateNamesOf = (names: ReadonlySet<string>) => ({
  has: (name: string): boolean => names.has(name),
  hasVendor: (vendor: string): boolean => [...names].some((name) => name.startsWith(`${vendor}/`)),
});

const standardOptions = {
  client: {
    allowAddresses: ['127.0.0.0/8'],
    userAgent: 'Libretto/test',
    limits: { documentMs: 2000, archiveMs: 5000, idleTimeoutMs: 1000 },
  },
  checkRecord: () => undefined,
  checkArchive: () => Promise.resolve(),
  cacheBytes: 16 * 1024 ** 2,
} satisfies Partial<MirrorOptions>;

/** As of a limited token, which never reads the address of an upstream. */
const nothingPreferred = {
  acceptEncoding: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  view: compileView({ ...noLimits, packages: ['some/*'] }),
};

/** `moment`: the time of the next request. */
function requestsTo(
  mirror: Mirror,
  moment: () => { readonly nowMs: number; readonly epoch: number },
): Pick<RunningMirror, 'provider' | 'archive'> {
  return {
    provider: async (name, stability = 'stable', headers = {}) =>
      replyOf(
        await mirror.provider(
          packageName(name),
          stability,
          { ...nothingPreferred, ifModifiedSince: headers.ifModifiedSince },
          moment(),
        ),
      ),
    archive: async (name, version, reference) =>
      replyOf(
        await mirror.archive({ name: packageName(name), labels: [version], reference }, nothingPreferred, moment()),
      ),
  };
}

/** Reads a body as the server would send it, to its end or to the error. */
async function replyOf(answer: Answer | undefined): Promise<MirrorReply | undefined> {
  if (answer === undefined) return undefined;
  const { body: given, status } = answer;
  const flat = allHeaders(answer);
  const headers = Object.fromEntries(
    flat.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), flat[index + 1] ?? '']] : [])),
  );
  const pieces: Buffer[] = [];
  let broken: string | undefined;
  if (typeof given === 'string') pieces.push(Buffer.from(given, 'latin1'));
  else if (Buffer.isBuffer(given)) pieces.push(given);
  else if (given !== undefined) {
    try {
      for (let at = 0; at < given.size;) {
        const piece = Buffer.alloc(Math.min(32 * 1024, given.size - at));
        const { bytesRead } = await given.handle.read(piece, 0, piece.length, at);
        if (bytesRead === 0) throw new Error('too short');
        pieces.push(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
    } catch (error) {
      broken = error instanceof Error ? error.message : String(error);
    } finally {
      await given.handle.close();
    }
  }
  const body = Buffer.concat(pieces);
  // the log names the upstream for the operator, and the answer does not name it for clients
  if (status >= 400 && /127\.0\.0\.1|localhost|:\/\//.test(body.toString()))
    throw new Error(`an answer names the address of an upstream: ${body.toString()}`);
  return { status, headers, body, broken, json: () => JSON.parse(body.toString()) as ReturnType<MirrorReply['json']> };
}
