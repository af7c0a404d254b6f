// One change of the state in Redis: a script that checks the conditions, writes, and notifies the other hosts, or does
// nothing.

import { messageOf } from '../../build/shared/text/message-of.ts';
import type { RedisClient } from '../core/redis/redis-client.ts';
import type { RedisGenerations } from './redis-generations.ts';
import type { Replicas } from './redis-replicas.ts';
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

/** Without a connection, or with a Redis that executes nothing yet. */
function isUnsent(error: unknown): boolean {
  return /^(?:LOADING|NOAUTH|CLUSTERDOWN)|^Stream isn't writeable|is connected$/.test(messageOf(error));
}

/** Redis refused the change. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !isUnsent(error);
}
