// /health: shows that this process lives, for its supervisor and for people: 200 for every answer; `status` rates the
// service. /health/ready: shows that the process can serve an install, for load balancers: 500 if they should send
// requests elsewhere.

import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import { errorAnswer, jsonAnswer, type Answer } from '../http/answer.ts';
import type { Counters } from '../limits/counters.ts';
import type { Tree } from '../protocol/tree.ts';
import { StateError } from '../state/state-error.ts';
import type { StorageState } from './storage.ts';

export interface Health {
  /** degraded: the server serves, but a part that it depends on is missing; the other fields name the part */
  readonly status: 'ok' | 'degraded';
  /**
   * the metadata-url that clients on this request's path get; null before the first publication, and if packages.json
   * is unreadable
   */
  readonly metadata_url: string | null;
  /**
   * empty: before the first publication. stale: the origin fails, and cached files are served. unreadable: the
   * published files are missing or damaged
   */
  readonly tree: 'ok' | 'empty' | 'stale' | 'unreadable';
  /**
   * away: the Redis of the state is unreachable, and cached rows are valid for a while at most. unreadable: the state
   * is damaged or missing
   */
  readonly state: 'ok' | 'away' | 'unreadable';
  /** local: the shared counters cannot be reached and this process counts alone */
  readonly counters: 'ok' | 'local';
  /** full, read-only: everything is served, and no change is possible */
  readonly storage: StorageState;
  /** the processes that serve this address, if there are several */
  readonly workers?: { readonly serving: number; readonly of: number };
}

export interface HealthParts {
  readonly tree: Pick<Tree, 'publication' | 'hasRoot' | 'stale' | 'metadataUrl'>;
  readonly readState: ReadyParts['readState'];
  /** true while the Redis of the state is out of reach, and while that Redis holds a damaged state or none */
  readonly stateAway?: (() => boolean) | undefined;
  readonly counters: Pick<Counters, 'degraded'>;
  readonly storage: () => Promise<StorageState>;
  readonly workerStatus?: WorkerStatus | undefined;
}

/**
 * Checks the first document of every client, packages.json; it is parsed again only after a change. The answer reveals
 * no time of a publication, because the caller may not be allowed to see it (I14).
 */
export async function healthAnswer(
  parts: HealthParts,
  asked: Parameters<Tree['metadataUrl']>[0],
  nowMs: number,
): Promise<Answer> {
  const [storage, seen, known] = await Promise.all([
    parts.storage(),
    checkRoot(parts.tree, asked, nowMs),
    checkState(parts.readState),
  ]);
  const fault = 'cause' in known ? known.cause : undefined;
  return { ...jsonAnswer(200, healthOf(seen, fault, storage, parts)), cause: seen.cause };
}

/** The result of a request for packages.json. */
interface RootCheck {
  readonly tree: Health['tree'];
  /** false: the state, which holds the settings, cannot be read */
  readonly isStateRead: boolean;
  readonly metadataUrl: string | undefined;
  /** the first fault; undefined: there is none */
  readonly cause: unknown;
}

async function checkRoot(
  tree: HealthParts['tree'],
  asked: Parameters<Tree['metadataUrl']>[0],
  nowMs: number,
): Promise<RootCheck> {
  const [found] = await Promise.allSettled([treeState(tree, nowMs)]);
  // behind the tree, so that only the settings can be late
  const [url] = await Promise.allSettled([inTime(async () => tree.metadataUrl(asked, nowMs))]);
  const [fault] = [found, url].filter((one) => one.status === 'rejected');
  const isStateRead = url.status === 'fulfilled' || !(url.reason instanceof StateError);
  const isTreeRead = found.status === 'fulfilled' && (url.status === 'fulfilled' || !isStateRead);
  const state = isTreeRead ? found.value : 'unreadable';
  const isServed = state === 'ok' || state === 'stale';
  return {
    tree: state,
    isStateRead,
    metadataUrl: isServed && url.status === 'fulfilled' ? url.value : undefined,
    cause: fault?.reason,
  };
}

/** The state of a tree with a packages.json. */
function readable(tree: Pick<Tree, 'stale'>): 'ok' | 'stale' {
  return tree.stale() ? 'stale' : 'ok';
}

/** `fault`: of the check of the state; undefined: none. */
function stateOf(fault: unknown, { isStateRead }: RootCheck, isAway: boolean): Health['state'] {
  const isOutOfReach = fault instanceof StateError && fault.code === 'STATE_UNAVAILABLE';
  if (isAway && (fault === undefined || isOutOfReach)) return 'away';
  return fault === undefined && isStateRead ? 'ok' : 'unreadable';
}

function healthOf(
  seen: RootCheck,
  fault: unknown,
  storage: StorageState,
  { counters: { degraded }, workerStatus, stateAway }: HealthParts,
): Health {
  const { tree, metadataUrl } = seen;
  const state = stateOf(fault, seen, stateAway?.() === true);
  const counters = degraded() ? 'local' : 'ok';
  const workers = workerStatus === undefined ? undefined : { serving: workerStatus.running(), of: workerStatus.size };
  return {
    status:
      tree === 'ok' && state === 'ok' && counters === 'ok' && storage === 'ok' && workers?.serving === workers?.of
        ? 'ok'
        : 'degraded',
    metadata_url: metadataUrl ?? null,
    tree,
    state,
    counters,
    storage,
    ...(workers === undefined ? {} : { workers }),
  };
}

export interface Readiness {
  readonly status: 'ready';
  /** stale: the origin fails, and cached files are served */
  readonly tree: 'ok' | 'stale';
  /**
   * grace: the Redis of the state cannot be used, and tokens that are known are honoured for `grace_seconds_left` more
   */
  readonly state: 'ok' | 'grace';
  /** until every request fails, unless the Redis returns earlier */
  readonly grace_seconds_left?: number;
  readonly counters: Health['counters'];
  /** full, read-only: installs work, and no change is possible */
  readonly storage: StorageState;
}

export interface ReadyParts {
  readonly tree: HealthParts['tree'];
  readonly counters: Pick<Counters, 'degraded'>;
  readonly storage: () => Promise<StorageState>;
  /**
   * Rejects if the state cannot be read. Resolves with a number if it is unreachable: for this number of milliseconds
   * cached rows are still valid.
   */
  readonly readState: (() => Promise<unknown>) | undefined;
  /** true once the server is closing */
  readonly draining: () => boolean;
}

/** After this time without an answer the state counts as unreadable, because a health check needs a quick answer. */
const stateTimeoutMs = 2000;

/**
 * Three conditions do not make the server unready. Local counting still enforces limits in each process. A failing
 * origin leaves the cached files. A full disk still allows reads. An empty tree makes it unready, because installs
 * would fail.
 */
export async function readyAnswer(parts: ReadyParts, nowMs: number): Promise<Answer> {
  const [seen, known, storage] = await Promise.all([
    checkRoot(parts.tree, { exactForm: true }, nowMs),
    checkState(parts.readState),
    parts.storage(),
  ]);
  const { tree } = seen;
  const counters = parts.counters.degraded() ? 'local' : 'ok';
  const state = 'state' in known && seen.isStateRead ? known.state : undefined;
  if ((tree === 'ok' || tree === 'stale') && state !== undefined && !parts.draining())
    return jsonAnswer(200, { status: 'ready', tree, ...state, counters, storage } satisfies Readiness);
  return errorAnswer('NOT_SERVING', {
    details: { tree, ...(state ?? { state: 'unreadable' }), counters, storage, closing: parts.draining() },
    headers: ['Retry-After', '5'],
    cause: seen.cause ?? ('cause' in known ? known.cause : undefined),
  });
}

async function treeState(tree: ReadyParts['tree'], nowMs: number): Promise<Health['tree']> {
  if ((await tree.publication()) === undefined) return 'empty';
  return (await tree.hasRoot(nowMs)) ? readable(tree) : 'unreadable';
}

/** `cause`: why the state cannot be read. */
function checkState(
  readState: ReadyParts['readState'],
): Promise<{ readonly state: ReturnType<typeof graceOf> } | { readonly cause: unknown }> {
  return inTime(async () => readState?.()).then(
    (graceMs) => ({ state: graceOf(graceMs) }),
    (cause: unknown) => ({ cause }),
  );
}

function graceOf(graceMs: unknown): Pick<Readiness, 'state' | 'grace_seconds_left'> {
  return typeof graceMs === 'number'
    ? { state: 'grace', grace_seconds_left: Math.floor(graceMs / 1000) }
    : { state: 'ok' };
}

/** Rejects with StateError if the state does not respond in time. */
function inTime<Found>(ask: () => Promise<Found>): Promise<Found> {
  return withDeadline(ask(), stateTimeoutMs, () =>
    Promise.reject(new StateError('STATE_UNAVAILABLE', `the state has not answered within ${stateTimeoutMs} ms`)),
  );
}

/** The processes that serve one address, as known to one of them. */
export interface WorkerStatus {
  /** the wanted number of workers */
  readonly size: number;
  /** the number of serving workers */
  readonly running: () => number;
}
