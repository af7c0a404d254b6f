// Waits for a replica before a change is acknowledged. With sentinels, and in a cluster, a replica replaces a failed
// primary, and loses the writes that it never received. A registry without replicas must still accept revocations: it accepts them, and
// logs that they are on one server alone. An operator who prefers refusal sets `min-replicas-to-write 1` in Redis;
// then every write is refused.

import type { RedisConnection } from '../core/redis/redis-client.ts';

/** The primary has it by then, or never: a healthy replica takes a few milliseconds. */
const replicaTimeoutMs = 500;
/** After a change that no replica took: waits of many changes add up on one connection, and each has a time limit. */
const repeatedTimeoutMs = 50;
const noticePeriodMs = 60_000;

export interface ReplicasOptions {
  /** the connection that changes are written on: Redis waits for the writes of that connection */
  readonly writing: RedisConnection;
  readonly notice: (notice: { readonly state: 'unreplicated'; readonly reason: string }) => void;
  readonly monotonicMs: () => number;
}

export interface Replicas {
  /**
   * Called as soon as a change is answered, on the connection that it came by: resolves once a replica has it, or none took it in time.
   * Rejects when the connection is lost.
   */
  readonly follow: () => Promise<void>;
}

export function createReplicas({ writing, notice, monotonicMs }: ReplicasOptions): Replicas {
  let lastNoticeMs = Number.NEGATIVE_INFINITY;
  let alone = false;
  return {
    follow: async () => {
      const reached = await wait(writing, alone ? repeatedTimeoutMs : replicaTimeoutMs).catch((error: unknown) => {
        // an error of Redis here concerns the wait only: the change before it may be written
        throw new Error(`no replica has confirmed it: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
      alone = reached === 0;
      if (!alone || monotonicMs() - lastNoticeMs < noticePeriodMs) return;
      lastNoticeMs = monotonicMs();
      notice({ state: 'unreplicated', reason: `no replica has taken a change within ${replicaTimeoutMs} ms` });
    },
  };
}

async function wait({ primary }: RedisConnection, timeoutMs: number): Promise<number> {
  return primary().wait(1, timeoutMs);
}
