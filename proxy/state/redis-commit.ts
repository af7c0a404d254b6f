// One change of the state in Redis: a script that checks the conditions, writes, and notifies the other hosts, or does
// nothing.

import { messageOf } from '../../build/shared/text/message-of.ts';
import type { RedisClient, RedisConnection } from '../core/redis/redis-client.ts';
import type { RedisGenerations } from './redis-generations.ts';
import type { StateKeys } from './redis-keys.ts';
import { lossOf } from './redis-scripts.ts';
import { outOfReach } from './redis-reach.ts';
import type { RedisWatch } from './redis-watch.ts';
import { StateError } from '../core/state/state-error.ts';
import type { StateIdentity } from '../core/state/state-identity.ts';
import type { StateChange } from '../core/state/state-store.ts';

export interface CommitParts {
  /** A separate connection where changes wait for replicas, so that readers do not. */
  readonly writer: RedisClient;
  /** undefined: no replica ever takes the primary's place */
  readonly replicas: Replicas | undefined;
  readonly keys: StateKeys;
  readonly identity: StateIdentity;
  readonly name: string;
  readonly watch: RedisWatch;
  readonly generations: RedisGenerations;
  readonly reason: () => Error | undefined;
}

/** False: a condition did not hold. Rejects with StateError. */
export async function commit(parts: CommitParts, change: StateChange): Promise<boolean> {
  const { name, watch, generations, reason } = parts;
  watch.assertKnown();
  if (watch.isAway()) throw outOfReach(name, reason());
  const keys = [...change.puts.map(({ key }) => key), ...change.deletes];
  try {
    const [done, generation, notQuiet] = await write(parts, change, keys.length);
    if (done === 1 && keys.length > 0) generations.wrote(keys, { generation, notQuiet });
    return done === 1;
  } catch (error) {
    const failure = failureOf(parts, error);
    if (failure.code === 'STATE_UNCONFIRMED') generations.mayHaveWritten(keys);
    throw failure;
  }
}

async function write(
  { writer, replicas, keys, identity }: CommitParts,
  { conditions, puts, deletes, quiet = false }: StateChange,
  written: number,
) {
  const reply = await writer.commitState(
    keys.meta,
    keys.rows,
    keys.order,
    identity,
    keys.channel,
    quiet ? 1 : 0,
    conditions.length,
    puts.length,
    deletes.length,
    ...conditions.flatMap(({ key, revision }) => [key, revision === null ? '' : String(revision)]),
    ...puts.flatMap(({ key, value }) => [key, JSON.stringify(value)]),
    ...deletes,
  );
  if (written > 0 && !quiet) await replicas?.follow();
  return reply;
}

/** Throws immediately if the state itself is lost. */
function failureOf({ name, watch, reason }: CommitParts, error: unknown): StateError {
  if (lossOf(error) !== undefined) {
    watch.lost(error);
    watch.assertKnown();
  }
  if (isReply(error))
    return new StateError(
      'STATE_WRITE_FAILED',
      `The state in ${name} could not be written, and nothing was changed: ${(error as Error).message}. ` +
        'Check its memory, its disk, and that it is not a replica.',
      { cause: error },
    );
  const why = reason() ?? error;
  watch.lost(why);
  if (isUnsent(error)) return outOfReach(name, why);
  return new StateError(
    'STATE_UNCONFIRMED',
    `The state in ${name} has not confirmed a change: ${messageOf(why)}. The change may have been made: look before ` +
      'you repeat it.',
    { cause: error },
  );
}

/** Without a connection, or with a Redis that executes nothing: not yet, or no more since a replica took its place. */
function isUnsent(error: unknown): boolean {
  return /^(?:LOADING|NOAUTH|CLUSTERDOWN|READONLY)|^Stream isn't writeable|is connected$/.test(messageOf(error));
}

/** Redis refused the change. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !isUnsent(error);
}

// Waits for a replica before a change is acknowledged. With sentinels, and in a cluster, a replica replaces a failed
// primary, and loses the writes that it never received. A registry without replicas must still accept revocations: it accepts them, and
// logs that they are on one server alone. An operator who prefers refusal sets `min-replicas-to-write 1` in Redis;
// then every write is refused.

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

type Replicas = ReturnType<typeof createReplicas>;

export function createReplicas({ writing, notice, monotonicMs }: ReplicasOptions) {
  let lastNoticeMs = Number.NEGATIVE_INFINITY;
  let alone = false;
  return {
    /**
     * Called as soon as a change is answered, on the connection that it came by: resolves once a replica has it, or none
     * took it in time. Rejects when the connection is lost.
     */
    follow: async (): Promise<void> => {
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
