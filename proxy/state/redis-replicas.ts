// Waits for a replica before a change is acknowledged. With sentinels a replica replaces a failed primary, and loses
// the writes that it never received. A registry without replicas must still accept revocations: it accepts them, and
// logs that they are on one server alone. An operator who prefers refusal sets `min-replicas-to-write 1` in Redis;
// then every write is refused.

import type { RedisClient } from '../core/redis/redis-client.ts';

/** The primary has it by then, or never: a healthy replica takes a few milliseconds. */
const replicaTimeoutMs = 500;
const noticePeriodMs = 60_000;

export interface ReplicasOptions {
  /** the connection that changes are written on: Redis waits for the writes of that connection */
  readonly writer: RedisClient;
  readonly notice: (notice: { readonly state: 'unreplicated'; readonly reason: string }) => void;
  readonly monotonicMs: () => number;
}

export interface Replicas {
  /**
   * Sent right behind a change, by the same connection: resolves once a replica has it, or none took it in time.
   * Rejects when the connection is lost.
   */
  readonly follow: () => Promise<void>;
}

export function createReplicas({ writer, notice, monotonicMs }: ReplicasOptions): Replicas {
  let lastNoticeMs = Number.NEGATIVE_INFINITY;
  return {
    follow: async () => {
      const reached = await writer.wait(1, replicaTimeoutMs).catch((error: unknown) => {
        // an error of Redis here concerns the wait only: the change before it may be written
        throw new Error(`no replica has confirmed it: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
      if (reached > 0 || monotonicMs() - lastNoticeMs < noticePeriodMs) return;
      lastNoticeMs = monotonicMs();
      notice({ state: 'unreplicated', reason: `no replica has taken a change within ${replicaTimeoutMs} ms` });
    },
  };
}
