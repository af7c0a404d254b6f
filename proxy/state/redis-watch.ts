// How this process stands to the state's Redis: whether it is in reach, and which generation it has reached. Each commit is published with the keys it
// wrote, so that a revocation is known everywhere at once; and the generation is asked for four times a second, should a message not have come.

import type { RedisClient } from '../redis-client.ts';
import type { LastKnown } from './last-known.ts';
import type { StatePlace } from './redis-scripts.ts';
import { StateError } from './state-error.ts';

/** One line for the log: when an outage begins, and when it ends. */
export type StateNotice = { readonly state: 'away' | 'emptied'; readonly reason: string } | { readonly state: 'back' };

export interface RedisWatchOptions {
  readonly redis: RedisClient;
  /** a connection of its own, as Redis wants it */
  readonly subscriber: RedisClient;
  readonly place: StatePlace;
  /** the Redis, in words, without its password */
  readonly name: string;
  readonly known: LastKnown;
  /** why there is no connection */
  readonly reason: () => Error | undefined;
  /** how long what is known is believed without a word from Redis */
  readonly graceMs: number;
  readonly notice: (notice: StateNotice) => void;
  /** milliseconds of a clock that nobody sets */
  readonly monotonicMs: () => number;
}

export interface RedisWatch {
  /** Of this process: moves when the state has changed, or may have. Throws StateError once what is known is too old to be believed. */
  readonly generation: () => number;
  /** The generation that Redis has reached at least. */
  readonly reached: () => number;
  readonly isAway: () => boolean;
  /** A command failed for another reason than what it asked: Redis is away until it answers again. */
  readonly lost: (reason: unknown) => void;
  /** This process wrote, or may have written, these keys; `generation` as Redis answered. */
  readonly wrote: (keys: readonly string[], generation?: number) => void;
  /** Asks once; rejects with what went wrong. */
  readonly start: () => Promise<void>;
  readonly close: () => void;
}

const pollMs = 250;
/** A poll that is not answered so long: whoever asks something is not made to wait for Redis any more. */
const silenceMs = 1000;

export function createRedisWatch({ redis, subscriber, place, name, known, reason, graceMs, notice, monotonicMs }: RedisWatchOptions): RedisWatch {
  let moves = 1;
  /** the highest generation that Redis has named */
  let newest: number | undefined;
  /** the generation up to which every message came; undefined: some may be missing */
  let heardUpTo: number | undefined;
  let subscribed = false;
  let listening: Promise<unknown> = Promise.resolve();
  let standing: 'ok' | 'away' | 'emptied' = 'ok';
  let lastAnswerMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  /** Messages and answers come by two connections: an older number only says something when it was asked for. */
  const observe = (generation: number, asked: boolean): void => {
    if (newest !== undefined && (asked ? generation === newest : generation <= newest)) return;
    newest = generation;
    moves += 1;
  };
  const hear = (message: string): void => {
    const [generation = '', ...keys] = message.split(' ');
    const reached = Number(generation);
    if (heardUpTo !== undefined && reached === heardUpTo + 1) known.forget(keys, reached);
    else known.forgetAll();
    heardUpTo = reached;
    observe(reached, false);
  };
  const become = (next: typeof standing, why: unknown): void => {
    if (standing === next || closed) return;
    const before = standing;
    standing = next;
    if (next === 'ok') notice({ state: 'back' });
    else notice({ state: next, reason: why instanceof Error ? why.message : String(why) });
    if (before !== 'away' && next === 'away') return;
    // whatever happened meanwhile was not heard of
    known.forgetAll();
    moves += 1;
  };
  const lost = (why: unknown): void => {
    if (standing === 'ok') become('away', reason() ?? why);
  };
  const ask = async (): Promise<void> => {
    const heard = subscribed;
    const before = newest;
    const answer = await redis.hget(place.meta, 'generation');
    lastAnswerMs = monotonicMs();
    if (answer === null) {
      become('emptied', 'there is no state in it any more');
      return;
    }
    become('ok', undefined);
    const generation = Number(answer);
    // a change of which no message came, or not in time; or a replica that took over, and does not know of all
    const missed = heardUpTo === undefined ? generation !== before : (before ?? 0) > heardUpTo;
    if (missed || generation < (before ?? 0)) known.forgetAll();
    if (heardUpTo === undefined || (before ?? 0) > heardUpTo) heardUpTo = heard ? generation : undefined;
    observe(generation, true);
  };
  const poll = (): void => {
    const silence = setTimeout(() => lost(new Error(`no reply within ${silenceMs} ms`)), silenceMs).unref();
    void ask()
      .catch(lost)
      .finally(() => {
        clearTimeout(silence);
        if (!closed) timer = setTimeout(poll, pollMs).unref();
      });
  };
  const listen = (): void => {
    listening = subscriber.subscribe(place.channel).then(
      () => (subscribed = true),
      // it goes on by asking; the next connection tries again
      () => (subscribed = false),
    );
  };
  subscriber.on('ready', listen);
  subscriber.on('message', (_channel: string, message: string) => hear(message));
  subscriber.on('close', () => {
    subscribed = false;
    heardUpTo = undefined;
  });
  return {
    generation: () => {
      if (standing === 'emptied') throw new StateError('STATE_CORRUPT', `The state in ${name} is gone: the Redis was emptied, or lost what it had when it started again. Restore it from a backup of the Redis, or start the server again on a new state.`);
      if (standing === 'away' && monotonicMs() - lastAnswerMs > graceMs) throw outOfReach(name, reason());
      return moves;
    },
    reached: () => newest ?? 0,
    isAway: () => standing === 'away',
    lost,
    wrote: (keys, generation) => {
      known.forget(keys, generation ?? Number.POSITIVE_INFINITY);
      if (generation !== undefined) observe(generation, false);
    },
    start: async () => {
      await subscriber.connect();
      // before the first question, so that no message is missing from the first answer on
      await listening;
      await ask();
      timer = setTimeout(poll, pollMs).unref();
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

export function outOfReach(name: string, reason: unknown): StateError {
  const why = reason instanceof Error ? `: ${reason.message}` : '';
  return new StateError('STATE_UNAVAILABLE', `The state in ${name} is out of reach${why}. It is used again as soon as that Redis answers.`, { cause: reason });
}
