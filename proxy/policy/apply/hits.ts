// Counts what rules found in requests for archives, and tells of the first hit of each version. The first hit is one
// commit: a row, an audit event, and for a blocked version an event for people. Later ones only count. The commits
// follow one another, because all of them append to one audit log.

import type { JsonObject } from '../../../build/contract/json.ts';
import { storeEvent } from '../../events/outbox.ts';
import type { Actor, AuditedStore } from '../../state/audit.ts';
import { hitKey, type PolicyHit } from '../records/policy-hits.ts';

export type Hits = ReturnType<typeof createHits>;

export interface HitsOptions {
  readonly store: AuditedStore;
  /** reports a hit that could not be stored: the next one of its version tries again */
  readonly onError: (error: unknown) => void;
  /**
   * Called once a minute with the number of hits that were dropped because the queue was full. They are stored at their
   * next request.
   */
  readonly onDropped: (count: number) => void;
}

const mostRemembered = 20_000;
const mostWaiting = 5000;
const reportEveryMs = 60_000;

export function createHits({ store, onError, onDropped }: HitsOptions) {
  const counts = new Map<string, number>();
  const known = new Set<string>();
  const drops = createDrops(onDropped);
  const queue = createQueue(async (key: string, hit: PolicyHit) => {
    try {
      await storeFirst(store, key, hit);
    } catch (error) {
      known.delete(key);
      onError(error);
    }
  });
  return {
    /** Notes a hit; never rejects, and the request does not wait. */
    note: (hit: PolicyHit): void => {
      const counted = `${hit.rule} ${hit.action}`;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
      const key = hitKey(hit);
      if (known.has(key)) return;
      if (!queue.add(key, hit)) {
        drops.add();
        return;
      }
      if (known.size >= mostRemembered) known.clear();
      known.add(key);
    },
    /** `rule action` → how many since the start */
    counts: () => counts,
    /** Resolves after every hit so far is stored, or has failed. */
    settled: async (): Promise<void> => {
      await queue.settled();
      drops.report();
    },
  };
}

/** Runs `work` for one after the other. `add`: false when too many wait. */
function createQueue(work: (key: string, hit: PolicyHit) => Promise<void>) {
  const waiting = new Map<string, PolicyHit>();
  let draining: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    try {
      // a map gives what is added meanwhile, too
      for (const [key, hit] of waiting) {
        await work(key, hit);
        waiting.delete(key);
      }
    } finally {
      draining = undefined;
    }
  };
  return {
    add: (key: string, hit: PolicyHit): boolean => {
      if (waiting.size >= mostWaiting) return false;
      waiting.set(key, hit);
      draining ??= drain();
      return true;
    },
    settled: async (): Promise<void> => {
      while (draining !== undefined) await draining;
    },
  };
}

/** Counts, and reports the count a minute after the first one. */
function createDrops(report: (count: number) => void) {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const told = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (count > 0) report(count);
    count = 0;
  };
  return {
    add: (): void => {
      count += 1;
      timer ??= setTimeout(told, reportEveryMs).unref();
    },
    report: told,
  };
}

async function storeFirst(store: AuditedStore, key: string, hit: PolicyHit): Promise<void> {
  if ((await store.get(key)) !== undefined) return;
  const { rule, action, name, version, token, because, at } = hit;
  const told =
    action === 'block'
      ? await storeEvent(store, {
          type: 'policy.blocked',
          subject: key,
          atMs: Date.parse(at),
          data: { package: name, version, rule, reason: because },
          about: name === null ? null : { name, version_normalized: hit.normalized, released_ms: hit.released_ms },
        })
      : { puts: [], deletes: [] };
  // false: another server was first
  await store.commit(
    {
      conditions: [{ key, revision: null }],
      puts: [{ key, value: { ...hit } as JsonObject }, ...told.puts],
      deletes: told.deletes,
    },
    {
      actor: actorOf(token),
      action: `policy.${action}`,
      subject: name === null ? `Composer ${version}` : `${name} ${version}`,
      details: { rule, reason: because },
    },
  );
}

function actorOf(token: string | null): Actor {
  return token === null ? 'system:policy' : `token:${token}`;
}
