// Tracks whether the state's Redis is reachable and still has this registry's state. During an outage it decides how
// long cached rows stay valid (I13).

import type { RedisGenerations } from './redis-generations.ts';
import { lossOf, type Loss } from './redis-scripts.ts';
import { damagedState, StateError, wayBack } from '../core/state/state-error.ts';

/**
 * One line for the log: at the start and at the end of an outage; and, once a minute at most, for changes on one server
 * alone. `reverted`: Redis has lost changes that it had acknowledged.
 */
export type StateNotice =
  | { readonly state: 'away' | Loss | 'unreplicated' | 'reverted'; readonly reason: string }
  | { readonly state: 'back' };

export interface RedisReachOptions {
  /** the Redis, in words, without its password */
  readonly name: string;
  readonly generations: RedisGenerations;
  /** the reason for the missing connection */
  readonly reason: () => Error | undefined;
  /** how long cached rows stay valid without a reply of Redis */
  readonly graceMs: number;
  readonly notice: (notice: StateNotice) => void;
  /** a monotonic clock in milliseconds */
  readonly monotonicMs: () => number;
}

export type RedisReach = ReturnType<typeof createRedisReach>;

export function createRedisReach(options: RedisReachOptions) {
  const { name, generations, reason, graceMs, notice, monotonicMs } = options;
  const questions = createQuestions();
  let state: 'ok' | 'away' | Loss = 'ok';
  /** the fault of the state */
  let fault = '';
  let lastAnswerMs = monotonicMs();
  let closed = false;

  const become = (next: typeof state, why: unknown): void => {
    if (state === next || closed) return;
    state = next;
    fault = why instanceof Error ? why.message : String(why);
    notice(next === 'ok' ? { state: 'back' } : { state: next, reason: fault });
    if (next !== 'ok') questions.giveUp(why);
    if (next === 'ok') generations.move();
    else if (next !== 'away') generations.forgetAll();
  };
  return {
    /** Throws StateError after the cached rows became invalid: they are too old, or the state is lost. */
    assertKnown: (): void => {
      if (state === 'ok') return;
      if (state !== 'away') throw lostState(state, name, fault);
      if (monotonicMs() - lastAnswerMs > graceMs) throw outOfReach(name, reason());
    },
    isAway: () => state === 'away',
    /** Redis answers, and no reader has found a fault of the state. */
    isFine: () => state === 'ok',
    /** During an outage: how long cached rows stay valid; undefined otherwise. */
    graceLeftMs: () => (state === 'away' ? Math.max(0, graceMs - (monotonicMs() - lastAnswerMs)) : undefined),
    /** The given command; rejects as soon as Redis counts as away, so that no caller waits for a silent one. */
    orAway: questions.ask,
    /**
     * A command failed for an external reason: Redis counts as unreachable until its next reply, or the state is lost.
     */
    lost: (why: unknown): void => {
      const gone = lossOf(why);
      if (gone !== undefined) become(gone.loss, gone.reason);
      else if (state === 'ok') become('away', reason() ?? why);
    },
    /** Redis answered, and its state is this registry's. */
    answered: (): void => {
      lastAnswerMs = monotonicMs();
      become('ok', undefined);
    },
    /** Ends all notifications. */
    close: () => void (closed = true),
  };
}

/** Requests to Redis that are aborted together. */
function createQuestions() {
  const waiting = new Set<(why: unknown) => void>();
  return {
    ask: <T>(asked: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        waiting.add(reject);
        void asked.then(resolve, reject).finally(() => waiting.delete(reject));
      }),
    giveUp: (why: unknown): void => {
      for (const reject of waiting) reject(why);
    },
  };
}

const afterReplacement =
  'Put a backup of the former one there, or serve the new one: `libretto restore --empty --force`, then start the ' +
  'server again.';

function lostState(loss: Loss, name: string, fault: string): StateError {
  if (loss === 'emptied')
    return new StateError(
      'STATE_MISSING',
      `The state in ${name} is gone: the Redis was emptied, or lost its data at a restart. ${wayBack}`,
    );
  if (loss === 'replaced')
    return new StateError('STATE_REPLACED', `The state in ${name} was replaced by another one. ${afterReplacement}`);
  return damagedState(name, fault);
}

export function outOfReach(name: string, reason: unknown): StateError {
  const why = reason instanceof Error ? `: ${reason.message}` : '';
  return new StateError(
    'STATE_UNAVAILABLE',
    `The state in ${name} is unavailable${why}. The server uses it again as soon as that Redis answers.`,
    { cause: reason },
  );
}
