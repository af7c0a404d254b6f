// A shared count that never fails a request: while its server is lost, slow, full or read-only, this process counts for itself, from where
// the shared count stood when it was last seen. A limit is then kept by each process, never dropped (I12), and nobody gets an error
// or is kept out for it (I11).
//
// What this process knows of a window goes along with every request as a floor, so a server that forgot its counts is told again.

import type { Count, Counters } from './counters.ts';
import { createBreaker } from './breaker.ts';
import { createMemoryCounters, type MemoryCounters } from './memory-counters.ts';
import { endSlackMs, type SharedCount, type SharedCounters, type SharedHit } from './shared-counters.ts';
import { createSilenceWatch } from './silence.ts';
import type { Window } from './windows.ts';

/** A request waits this long for the shared count, once. 50 ms fired falsely on a healthy server under load. */
const silenceMs = 250;
const trialPeriodMs = 500;
const noticePeriodMs = 60_000;

/** One line for the log. Every outage is told once when it begins and once when it ends; one that lasts, again once a minute. */
export type CountersNotice = { readonly state: 'degraded'; readonly reason: string } | { readonly state: 'recovered' };

export interface ResilientCountersOptions {
  readonly shared: SharedCounters;
  readonly notice: (notice: CountersNotice) => void;
  /** milliseconds of a clock that nobody sets, e.g. performance.now */
  readonly monotonicMs: () => number;
}

interface Waiting {
  readonly answerLocally: () => void;
}

/** Resolves once the shared count is connected, or known to be away; then it starts degraded and recovers by itself. */
export async function openResilientCounters({ shared, notice, monotonicMs }: ResilientCountersOptions): Promise<Counters> {
  const local = createMemoryCounters();
  const notices = createNotices(notice, monotonicMs);
  const breaker = createBreaker({
    periodMs: trialPeriodMs,
    trial: () => shared.hit(trialHit),
    onFailure: (reason) => {
      notices.degraded(reason);
      for (const waiting of silence.drain()) waiting.answerLocally();
    },
    onRecovery: notices.recovered,
  });
  const silence = createSilenceWatch<Waiting>(silenceMs, () => breaker.trip(new Error(`no reply within ${silenceMs} ms`)), monotonicMs);

  await shared.connect();
  await shared.hit(trialHit).catch(breaker.trip);
  return {
    hit: (key, limit, windowMs, nowMs) => {
      if (breaker.isOpen()) return local.hit(key, limit, windowMs, nowMs);
      return new Promise<Count>((resolve) => {
        const waiting: Waiting = { answerLocally: () => resolve(local.hit(key, limit, windowMs, nowMs)) };
        silence.add(waiting);
        shared.hit({ key, limit, windowMs, floor: floorOf(local, key, windowMs, nowMs) }).then(
          (count) => {
            // a reply that comes too late still teaches; its request has been answered
            const resetAtMs = learn(local, key, windowMs, count, nowMs);
            if (silence.remove(waiting)) resolve({ admitted: count.admitted, remaining: Math.max(0, limit - count.used), resetAtMs });
          },
          (reason: unknown) => {
            if (silence.remove(waiting)) waiting.answerLocally();
            breaker.trip(reason);
          },
        );
      });
    },
    peek: async (key, windowMs, nowMs) => {
      const known = local.peek(key, windowMs, nowMs);
      if (breaker.isOpen()) return known;
      try {
        const found = await shared.peek(key);
        return found === undefined ? known : merged(known, found, nowMs);
      } catch {
        return known; // what is only looked at decides nothing: the next request that is counted finds out what is wrong
      }
    },
    degraded: breaker.isOpen,
    close: async () => {
      breaker.close();
      await shared.close();
    },
  };
}

/** As a request would: it must be able to write, which a read-only or full server cannot. Its key is gone after a second. */
const trialHit: SharedHit = { key: 'trial', limit: Number.MAX_SAFE_INTEGER, windowMs: 1000, floor: { used: 0, endsInMs: 0 } };

function floorOf(local: MemoryCounters, key: string, windowMs: number, nowMs: number): SharedHit['floor'] {
  const known = local.peek(key, windowMs, nowMs);
  if (known === undefined) return { used: 0, endsInMs: 0 };
  const endsInMs = known.endsAtMs - nowMs;
  // near the end of ours the server may have begun the next window, which must not be ended with it
  return endsInMs <= endSlackMs ? { used: 0, endsInMs: 0 } : { used: known.used, endsInMs };
}

/** Remembers what the server said, and gives the window's end: the same in every answer, although each measures it anew. */
function learn(local: MemoryCounters, key: string, windowMs: number, count: SharedCount, nowMs: number): number {
  const window = merged(local.peek(key, windowMs, nowMs), count, nowMs);
  local.learn(key, window, nowMs);
  return window.endsAtMs;
}

/** The window by what the server says and by what this process knows. */
function merged(known: Window | undefined, { used, endsInMs }: Pick<SharedCount, 'used' | 'endsInMs'>, nowMs: number): Window {
  // `nowMs` is from before the request went out, so this is never later than the server's own end
  const endsAtMs = nowMs + endsInMs;
  if (known === undefined || endsAtMs > known.endsAtMs + endSlackMs) return { used, endsAtMs };
  return { used: Math.max(used, known.used), endsAtMs: Math.min(endsAtMs, known.endsAtMs) };
}

function createNotices(notice: (notice: CountersNotice) => void, monotonicMs: () => number): { degraded: (reason: unknown) => void; recovered: () => void } {
  let lastMs = Number.NEGATIVE_INFINITY;
  let told = false;
  return {
    degraded: (reason) => {
      if (monotonicMs() - lastMs < noticePeriodMs) return;
      lastMs = monotonicMs();
      told = true;
      notice({ state: 'degraded', reason: reason instanceof Error ? reason.message : String(reason) });
    },
    recovered: () => {
      if (told) notice({ state: 'recovered' });
      told = false;
      lastMs = Number.NEGATIVE_INFINITY; // the next outage is another one, and news
    },
  };
}
