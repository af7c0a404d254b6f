// Tracks the connection of this process to the state's Redis, and the generation that the state has reached (I13).
// Each commit publishes the keys that it wrote, so that all processes learn of a revocation at once. The generation is
// also read four times a second, in case a message was lost.

import type { RedisClient, RedisConnection } from '../redis/redis-client.ts';
import type { RedisGenerations } from './redis-generations.ts';
import { damagedState } from './redis-opening.ts';
import { lossOf, type Loss, type StatePlace } from './redis-scripts.ts';
import { StateError, wayBack } from './state-error.ts';
import type { StateIdentity } from './state-identity.ts';

/**
 * One line for the log: when an outage begins, and when it ends; and once a minute at most, that changes are on one
 * server alone. `reverted`: Redis has lost changes that it had acknowledged.
 */
export type StateNotice =
  { readonly state: 'away' | Loss | 'unreplicated' | 'reverted'; readonly reason: string } | { readonly state: 'back' };

export interface RedisWatchOptions {
  readonly redis: RedisClient;
  /** a connection of its own, as Redis wants it */
  readonly subscriber: RedisConnection;
  readonly place: StatePlace;
  /** the Redis, in words, without its password */
  readonly name: string;
  readonly generations: RedisGenerations;
  /** why there is no connection */
  readonly reason: () => Error | undefined;
  /** how long what is known is believed without a word from Redis */
  readonly graceMs: number;
  readonly notice: (notice: StateNotice) => void;
  /** milliseconds of a clock that nobody sets */
  readonly monotonicMs: () => number;
}

export interface RedisWatch {
  /** Throws StateError once what is known must not be believed: it is too old, or the state is gone. */
  readonly assertKnown: () => void;
  readonly isAway: () => boolean;
  /** While it is away: how long what is known is believed still; undefined otherwise. */
  readonly graceLeftMs: () => number | undefined;
  /**
   * What was asked; rejects as soon as Redis is taken for away, so that nobody waits for what a silent one may still
   * say.
   */
  readonly orAway: <T>(asked: Promise<T>) => Promise<T>;
  /**
   * A command failed for another reason than what it asked: Redis is away until it answers again, or the state is gone.
   */
  readonly lost: (reason: unknown) => void;
  /**
   * Asks once, and goes on asking whether the state is this one; rejects with what went wrong. `answered` is called
   * whenever it is.
   */
  readonly start: (identity: StateIdentity, answered: () => void) => Promise<void>;
  readonly close: () => void;
}

interface Known {
  readonly identity: StateIdentity;
  readonly answered: () => void;
}

const afterReplacement =
  'Put a backup of the former one there, or serve the new one: `libretto state init --force`, then start the ' +
  'server again.';

const pollMs = 250;
/** A poll that is not answered so long: whoever asks something is not made to wait for Redis any more. */
const silenceMs = 1000;

export function createRedisWatch({
  redis,
  subscriber,
  place,
  name,
  generations,
  reason,
  graceMs,
  notice,
  monotonicMs,
}: RedisWatchOptions): RedisWatch {
  const ears = listen(subscriber.redis, place.channel, generations);
  const waiting = new Set<(why: unknown) => void>();
  let standing: 'ok' | 'away' | Loss = 'ok';
  /** what is wrong with the state */
  let fault = '';
  let lastAnswerMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const become = (next: typeof standing, why: unknown): void => {
    if (standing === next || closed) return;
    standing = next;
    fault = why instanceof Error ? why.message : String(why);
    notice(next === 'ok' ? { state: 'back' } : { state: next, reason: fault });
    if (next !== 'ok') for (const giveUp of waiting) giveUp(why);
    if (next === 'ok') generations.move();
    else if (next !== 'away') generations.forgetAll();
  };
  const lost = (why: unknown): void => {
    const gone = lossOf(why);
    if (gone !== undefined) become(gone.loss, gone.reason);
    else if (standing === 'ok') become('away', reason() ?? why);
  };
  const ask = async ({ identity, answered }: Known): Promise<void> => {
    // read before the question: a message may come before the answer
    const [listening, before] = [ears.listening(), generations.loud()];
    const [generation, quiet] = await redis.lookAtState(place.meta, place.rows, place.order, identity);
    lastAnswerMs = monotonicMs();
    become('ok', undefined);
    const loud = Number(generation) - Number(quiet);
    generations.answered({ generation: Number(generation), loud }, listening);
    if (before !== undefined && loud < before) notice({ state: 'reverted', reason: String(before - loud) });
    answered();
  };
  const poll = (known: Known): void => {
    const silence = setTimeout(() => lost(new Error(`no reply within ${silenceMs} ms`)), silenceMs).unref();
    void ask(known)
      .catch(lost)
      .finally(() => {
        clearTimeout(silence);
        if (!closed) timer = setTimeout(poll, pollMs, known).unref();
      });
  };
  return {
    assertKnown: () => {
      if (standing === 'ok') return;
      if (standing === 'emptied')
        throw new StateError(
          'STATE_MISSING',
          `The state in ${name} is gone: the Redis was emptied, or lost its data at a restart. ${wayBack}`,
        );
      if (standing === 'replaced')
        throw new StateError('STATE_REPLACED', `The state in ${name} was replaced by another one. ${afterReplacement}`);
      if (standing === 'damaged') throw damagedState(name, fault);
      if (monotonicMs() - lastAnswerMs > graceMs) throw outOfReach(name, reason());
    },
    isAway: () => standing === 'away',
    graceLeftMs: () => (standing === 'away' ? Math.max(0, graceMs - (monotonicMs() - lastAnswerMs)) : undefined),
    orAway: (asked) =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        void asked.then(resolve, reject).finally(() => waiting.delete(reject));
      }),
    lost,
    start: async (identity, answered) => {
      const known = { identity, answered };
      await subscriber.connect();
      // before the first question, so that no message is missing from the first answer on
      await ears.ready();
      await ask(known);
      timer = setTimeout(poll, pollMs, known).unref();
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Hears the messages of commits, and subscribes again with every new connection. */
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
  subscriber.on('ready', () => {
    // refused: it goes on by asking
    attempt = subscriber.subscribe(channel).then(
      () => settle(true),
      () => settle(false),
    );
  });
  subscriber.on('message', (_channel: string, message: string) => generations.hear(message));
  subscriber.on('close', () => {
    settle(false);
    generations.deaf();
  });
  return { listening: () => listening, ready: () => attempt };
}

export function outOfReach(name: string, reason: unknown): StateError {
  const why = reason instanceof Error ? `: ${reason.message}` : '';
  return new StateError(
    'STATE_UNAVAILABLE',
    `The state in ${name} is unavailable${why}. The server uses it again as soon as that Redis answers.`,
    { cause: reason },
  );
}
