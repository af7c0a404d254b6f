// /health: whether this process lives, for its supervisor and for people: 200 as long as it answers at all; `status`
// says how well. /health/ready: whether it can serve an install, for load balancers: 500 where they should send nobody.

import { errorAnswer, jsonAnswer, type Answer } from '../http/answer.ts';
import type { Counters } from '../limits/counters.ts';
import type { Tree } from '../protocol/tree.ts';
import type { WorkerStatus } from './worker-status.ts';
import type { StorageState } from './storage.ts';

export interface Health {
  /** degraded: it serves, but something beside it is missing; the other fields say what */
  readonly status: 'ok' | 'degraded';
  /**
   * what packages.json names to clients that come the way of this request; null before the first publication, and where
   * it cannot be read
   */
  readonly metadata_url: string | null;
  /**
   * empty: nothing was published yet. stale: the origin fails, and what is known of it is served. unreadable: what was
   * published is gone or damaged
   */
  readonly tree: 'ok' | 'empty' | 'stale' | 'unreadable';
  /** away: the Redis of the state cannot be used, and what is known of it is honoured for a while at most */
  readonly state: 'ok' | 'away';
  /** local: the shared counters cannot be reached and this process counts alone */
  readonly counters: 'ok' | 'local';
  /** full, read-only: everything is served, and nothing can be changed */
  readonly storage: StorageState;
  /** the processes that serve this address, where there are several */
  readonly workers?: { readonly serving: number; readonly of: number };
}

export interface HealthParts {
  readonly tree: Pick<Tree, 'publication' | 'hasRoot' | 'stale' | 'metadataUrl'>;
  readonly stateAway?: (() => boolean) | undefined;
  readonly counters: Pick<Counters, 'degraded'>;
  readonly storage: () => Promise<StorageState>;
  readonly crew?: WorkerStatus | undefined;
}

/**
 * Looks for what every client asks for first, packages.json; it is parsed again only where it has changed. Nothing here
 * tells when something was published: whoever asks may not be allowed to see it (I14).
 */
export async function healthAnswer(
  parts: HealthParts,
  asked: Parameters<Tree['metadataUrl']>[0],
  nowMs: number,
): Promise<Answer> {
  const { tree } = parts;
  const storage = await parts.storage();
  try {
    if ((await tree.publication()) === undefined) return jsonAnswer(200, healthOf(undefined, 'empty', storage, parts));
    if (!(await tree.hasRoot(nowMs))) return jsonAnswer(200, healthOf(undefined, 'unreadable', storage, parts));
    return jsonAnswer(200, healthOf(await tree.metadataUrl(asked, nowMs), readable(tree), storage, parts));
  } catch (cause) {
    return { ...jsonAnswer(200, healthOf(undefined, 'unreadable', storage, parts)), cause };
  }
}

/** Of a tree whose packages.json is there. */
function readable(tree: Pick<Tree, 'stale'>): 'ok' | 'stale' {
  return tree.stale() ? 'stale' : 'ok';
}

function healthOf(
  metadataUrl: string | undefined,
  tree: Health['tree'],
  storage: StorageState,
  { counters: { degraded }, crew, stateAway }: HealthParts,
): Health {
  const state = stateAway?.() === true ? 'away' : 'ok';
  const counters = degraded() ? 'local' : 'ok';
  const workers = crew === undefined ? undefined : { serving: crew.running(), of: crew.size };
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
  /** stale: the origin fails, and what is known of it is served */
  readonly tree: 'ok' | 'stale';
  /**
   * grace: the Redis of the state cannot be used, and tokens that are known are honoured for `grace_seconds_left` more
   */
  readonly state: 'ok' | 'grace';
  /** until nobody can be served, unless the Redis is back before */
  readonly grace_seconds_left?: number;
  readonly counters: Health['counters'];
  /** full, read-only: installs work, and nothing can be changed */
  readonly storage: StorageState;
}

export interface ReadyParts {
  readonly tree: Pick<Tree, 'publication' | 'hasRoot' | 'stale'>;
  readonly counters: Pick<Counters, 'degraded'>;
  readonly storage: () => Promise<StorageState>;
  /**
   * Rejects where the state cannot be read. Resolves with a number where it is out of reach: for so many milliseconds
   * what is known is honoured still.
   */
  readonly readState: (() => Promise<unknown>) | undefined;
  /** true once the server is closing */
  readonly draining: () => boolean;
}

/** A state that says nothing for so long is none: whoever asks here wants to know soon. */
const stateTimeoutMs = 2000;

/**
 * Counting locally is no reason to send nobody here: limits are kept, by each process for itself. Nor is an origin that
 * fails, while what is known of it is served, nor a disk that takes nothing more: reads go on. An empty tree is one:
 * installs would fail.
 */
export async function readyAnswer(parts: ReadyParts, nowMs: number): Promise<Answer> {
  const faults: unknown[] = [];
  const failed = (cause: unknown): 'unreadable' => {
    faults.push(cause);
    return 'unreadable';
  };
  const [tree, state, storage] = await Promise.all([
    treeState(parts.tree, nowMs).catch(failed),
    stateAnswers(parts.readState).catch(failed),
    parts.storage(),
  ]);
  const counters = parts.counters.degraded() ? 'local' : 'ok';
  if ((tree === 'ok' || tree === 'stale') && state !== 'unreadable' && !parts.draining())
    return jsonAnswer(200, { status: 'ready', tree, ...state, counters, storage } satisfies Readiness);
  return errorAnswer('NOT_SERVING', {
    details: { tree, ...(state === 'unreadable' ? { state } : state), counters, storage, closing: parts.draining() },
    headers: ['Retry-After', '5'],
    cause: faults[0],
  });
}

async function treeState(tree: ReadyParts['tree'], nowMs: number): Promise<Health['tree']> {
  if ((await tree.publication()) === undefined) return 'empty';
  return (await tree.hasRoot(nowMs)) ? readable(tree) : 'unreadable';
}

async function stateAnswers(
  readState: ReadyParts['readState'],
): Promise<Pick<Readiness, 'state' | 'grace_seconds_left'>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the state has not answered within ${stateTimeoutMs} ms`)),
      stateTimeoutMs,
    );
  });
  try {
    const graceMs = await Promise.race([readState?.(), late]);
    return typeof graceMs === 'number'
      ? { state: 'grace', grace_seconds_left: Math.floor(graceMs / 1000) }
      : { state: 'ok' };
  } finally {
    clearTimeout(timer);
  }
}
