// A shared count that never fails a request: while its server is lost, slow, full or read-only, this process counts for
// itself, from where the shared count stood when it was last seen. A limit is then kept by each process, never dropped
// (I12), and nobody gets an error or is kept out for it (I11).
//
// What this process knows of a window goes along with every request as a floor, so a server that forgot its counts is
// told again.
//
// A server that is late gets the time it needs where its word decides. Where a request is far from its limit anyway, it
// goes on by the local count, and the server hears of it all the same. So when a server falls silent, one request waits
// until that is certain, and hardly any other with it (F6).

import type { Count, Counters } from './counters.ts';
import { createBreaker } from './breaker.ts';
import { createCountersNotices, type CountersNotice } from './counters-notices.ts';
import { createMemoryCounters, type MemoryCounters } from './memory-counters.ts';
import { createPendingHits } from './pending-hits.ts';
import { endSlackMs, type SharedCount, type SharedCounters, type SharedHit } from './shared-counters.ts';
import { createReplyTimeout } from './reply-timeout.ts';
import type { Window } from './windows.ts';

/** A request waits this long for the shared count, once. 50 ms fired falsely on a healthy server under load. */
const silentMs = 250;
/** A server that has said nothing at all for so long while somebody waits is late. */
const lateMs = 25;
/**
 * As many processes may have asked as much as this one and heard as little: with room for all of them, nobody is
 * admitted beyond a limit.
 */
const mostProcesses = 10;
const trialPeriodMs = 500;

export interface ResilientCountersOptions {
  readonly shared: SharedCounters;
  readonly notice: (notice: CountersNotice) => void;
  /** milliseconds of a clock that nobody sets, e.g. performance.now */
  readonly monotonicMs: () => number;
}

interface Waiting {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly nowMs: number;
  readonly answer: (count: Count) => void;
}

/** Resolves once the shared count is connected, or known to be away; then it starts degraded and recovers by itself. */
export async function openResilientCounters({
  shared,
  notice,
  monotonicMs,
}: ResilientCountersOptions): Promise<Counters> {
  const local = createMemoryCounters();
  const questions = createPendingHits();
  const notices = createCountersNotices(notice, monotonicMs);
  const goOn = ({ key, limit, windowMs, nowMs, answer }: Waiting): void =>
    answer(local.hit(key, limit, windowMs, nowMs));
  // only a server that answers in time is one to count on: another would keep the next request waiting, and be away
  // again
  const trial = (): Promise<unknown> => within(silentMs, shared.hit(trialHit));
  const breaker = createBreaker({
    periodMs: trialPeriodMs,
    trial,
    onFailure: (reason) => {
      notices.degraded(reason);
      silence.drain().forEach(goOn);
    },
    onRecovery: notices.recovered,
  });
  const isFarFromLimit = (key: string, limit: number, windowMs: number, nowMs: number): boolean => {
    const open = questions.openOf(key, nowMs);
    const known = open === undefined ? undefined : local.peek(key, windowMs, nowMs);
    return open !== undefined && known !== undefined && known.used + mostProcesses * open <= limit;
  };
  const silence = createReplyTimeout<Waiting>({
    lateMs,
    silentMs,
    onLate: () =>
      silence
        .release((waiting) => isFarFromLimit(waiting.key, waiting.limit, waiting.windowMs, waiting.nowMs))
        .forEach(goOn),
    onSilence: () => breaker.trip(silent(silentMs)),
    monotonicMs,
  });

  await shared.connect();
  await trial().catch(breaker.trip);
  return {
    hit: (key, limit, windowMs, nowMs) => {
      if (breaker.isOpen()) return local.hit(key, limit, windowMs, nowMs);
      return ask(key, limit, windowMs, nowMs);
    },
    peek: async (key, windowMs, nowMs) => {
      const known = local.peek(key, windowMs, nowMs);
      return breaker.isOpen() ? known : lookUp(shared, key, known, nowMs);
    },
    degraded: breaker.isOpen,
    close: async () => {
      breaker.close();
      await shared.close();
    },
  };

  /** On the path of every request: plain values and few closures, which cost a quarter of objects made anew. */
  function ask(key: string, limit: number, windowMs: number, nowMs: number): Count | Promise<Count> {
    questions.asked(key);
    const reply = shared.hit({ key, limit, windowMs, floor: floorOf(local, key, windowMs, nowMs) });
    return silence.isLate() && isFarFromLimit(key, limit, windowMs, nowMs) ? goOnAtOnce() : new Promise(wait);

    function wait(answer: (count: Count) => void): void {
      const waiting: Waiting = { key, limit, windowMs, nowMs, answer };
      silence.add(waiting);
      reply.then(
        (count) => {
          questions.answered(key, nowMs);
          // a reply that comes too late still teaches; its request has been answered
          const resetAtMs = learn(local, key, windowMs, count, nowMs);
          if (silence.replied(waiting))
            answer({ admitted: count.admitted, remaining: Math.max(0, limit - count.used), resetAtMs });
        },
        (reason: unknown) => {
          questions.failed(key);
          if (silence.replied(waiting)) goOn(waiting);
          breaker.trip(reason);
        },
      );
    }

    function goOnAtOnce(): Count {
      reply.then(
        (count) => {
          questions.answered(key, nowMs);
          silence.replied(undefined);
          learn(local, key, windowMs, count, nowMs);
        },
        (reason: unknown) => {
          questions.failed(key);
          breaker.trip(reason);
        },
      );
      return local.hit(key, limit, windowMs, nowMs);
    }
  }
}

async function lookUp(
  shared: SharedCounters,
  key: string,
  known: Window | undefined,
  nowMs: number,
): Promise<Window | undefined> {
  try {
    const found = await shared.peek(key);
    return found === undefined ? known : merged(known, found, nowMs);
  } catch {
    return known; // what is only looked at decides nothing: the next request that is counted finds out what is wrong
  }
}

/** Rejects when nothing came in time. What has already come is read first, as in reply-timeout.ts. */
async function within<T>(timeoutMs: number, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(silent(timeoutMs))), timeoutMs);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

function silent(timeoutMs: number): Error {
  return new Error(`no reply within ${timeoutMs} ms`);
}

/**
 * As a request would: it must be able to write, which a read-only or full server cannot. Its key is gone after a
 * second.
 */
const trialHit: SharedHit = {
  key: 'trial',
  limit: Number.MAX_SAFE_INTEGER,
  windowMs: 1000,
  floor: { used: 0, endsInMs: 0 },
};

function floorOf(local: MemoryCounters, key: string, windowMs: number, nowMs: number): SharedHit['floor'] {
  const known = local.peek(key, windowMs, nowMs);
  if (known === undefined) return { used: 0, endsInMs: 0 };
  const endsInMs = known.endsAtMs - nowMs;
  // near the end of ours the server may have begun the next window, which must not be ended with it
  return endsInMs <= endSlackMs ? { used: 0, endsInMs: 0 } : { used: known.used, endsInMs };
}

/**
 * Remembers what the server said, and gives the window's end: the same in every answer, although each measures it anew.
 */
function learn(local: MemoryCounters, key: string, windowMs: number, count: SharedCount, nowMs: number): number {
  const window = merged(local.peek(key, windowMs, nowMs), count, nowMs);
  local.learn(key, window, nowMs);
  return window.endsAtMs;
}

/** The window by what the server says and by what this process knows. */
function merged(
  known: Window | undefined,
  { used, endsInMs }: Pick<SharedCount, 'used' | 'endsInMs'>,
  nowMs: number,
): Window {
  // `nowMs` is from before the request went out, so this is never later than the server's own end
  const endsAtMs = nowMs + endsInMs;
  if (known === undefined || endsAtMs > known.endsAtMs + endSlackMs) return { used, endsAtMs };
  return { used: Math.max(used, known.used), endsAtMs: Math.min(endsAtMs, known.endsAtMs) };
}
