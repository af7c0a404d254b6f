// Tracks the connection of this process to the state's Redis, and the generation that the state has reached (I13). Each
// commit publishes the keys that it wrote, so that all processes learn of a revocation immediately. The generation is
// also read four times a second, in case a message was lost, and the whole state is checked less often.

import type { RedisClient, RedisConnection } from '../core/redis/redis-client.ts';
import type { RedisGenerations } from './redis-generations.ts';
import { createRedisReach, type RedisReach, type RedisReachOptions } from './redis-reach.ts';
import type { StateKeys } from './redis-keys.ts';
import type { StateIdentity } from '../core/state/state-identity.ts';

export interface RedisWatchOptions extends RedisReachOptions {
  readonly redis: RedisClient;
  /** a separate connection, as Redis requires for subscriptions */
  readonly subscriber: RedisConnection;
  readonly keys: StateKeys;
}

export interface RedisWatch extends Omit<RedisReach, 'answered'> {
  /**
   * Checks the identity of the state once, then periodically; rejects with the error of the first check. `answered` is
   * called after every successful one, and after every message.
   */
  readonly start: (identity: StateIdentity, answered: () => void) => Promise<void>;
}

const pollMs = 250;
/** While the generation stays, one poll of so many checks rows and list of keys too. */
const pollsPerCheck = 8;
/** After this time without a reply to a poll, no caller waits for Redis any longer. */
const replyTimeoutMs = 1000;

export function createRedisWatch(options: RedisWatchOptions): RedisWatch {
  const { subscriber, keys, generations } = options;
  const reach = createRedisReach(options);
  const ears = listen(subscriber.redis, keys.channel, generations);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const poll = (ask: () => Promise<void>): void => {
    let silence: NodeJS.Immediate | undefined;
    const replyTimer = setTimeout(() => {
      // a busy process may have the reply already, and not have read it
      silence = setImmediate(() => reach.lost(new Error(`no reply within ${replyTimeoutMs} ms`)));
    }, replyTimeoutMs).unref();
    void ask()
      .catch(reach.lost)
      .finally(() => {
        clearTimeout(replyTimer);
        clearImmediate(silence);
        if (!closed) timer = setTimeout(poll, pollMs, ask).unref();
      });
  };
  return {
    ...reach,
    start: async (identity, answered) => {
      let polls = 0;
      const ask = (): Promise<void> =>
        askGeneration(options, reach, { identity, isListening: ears.listening, poll: polls++ }).then(answered);
      subscriber.redis.on('message', answered);
      await subscriber.connect();
      // before the first question, so that no message is missing from the first answer on
      await ears.ready();
      await ask();
      timer = setTimeout(poll, pollMs, ask).unref();
    },
    close: () => {
      closed = true;
      reach.close();
      clearTimeout(timer);
    },
  };
}

interface Question {
  readonly identity: StateIdentity;
  readonly isListening: () => boolean;
  /** its number: most are one command in place of a script of seven, if that one says that nothing has changed */
  readonly poll: number;
}

/** Requests the state's generation. Rejects if Redis does not reply, or has another state than `identity`. */
async function askGeneration(
  { redis, keys, generations, notice }: RedisWatchOptions,
  reach: RedisReach,
  { identity, isListening, poll }: Question,
): Promise<void> {
  if (poll % pollsPerCheck > 0 && reach.isFine()) {
    const [found, reached] = await redis.hmget(keys.meta, 'identity', 'generation');
    const isSame = found === identity && Number(reached) === generations.reached();
    // a reader may have found meanwhile that the state is damaged
    if (isSame && generations.isCaughtUp(isListening()) && reach.isFine()) return reach.answered();
  }
  // read before the question: a message may come before the answer
  const [listening, before] = [isListening(), generations.notQuiet()];
  const [generation, quiet] = await redis.lookAtState(keys.meta, keys.rows, keys.order, identity);
  reach.answered();
  const notQuiet = Number(generation) - Number(quiet);
  generations.answered({ generation: Number(generation), notQuiet }, listening);
  if (before !== undefined && notQuiet < before) notice({ state: 'reverted', reason: String(before - notQuiet) });
}

/** Receives the messages of commits, and subscribes again with every new connection. */
function listen(
  subscriber: RedisClient,
  channel: string,
  generations: RedisGenerations,
): { readonly listening: () => boolean; readonly ready: () => Promise<void> } {
  let listening = false;
  let attempt = Promise.resolve();
  const settle = (subscribed: boolean): void => {
    listening = subscribed;
  };
  const subscribe = (): void => {
    // refused: polling continues
    attempt = subscriber.subscribe(channel).then(
      () => settle(true),
      () => settle(false),
    );
  };
  subscriber.on('ready', subscribe);
  // of a cluster: its client listens to another server by itself, when the one is gone
  subscriber.on('-node', generations.markGap);
  subscriber.on('refresh', () => listening || subscribe());
  subscriber.on('message', (_channel: string, message: string) => generations.receive(message));
  subscriber.on('close', () => {
    settle(false);
    generations.markGap();
  });
  return { listening: () => listening, ready: () => attempt };
}
