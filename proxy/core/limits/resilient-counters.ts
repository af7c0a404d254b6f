// Shared counters that never fail a request. While their server is lost, slow, full or read-only, this process counts
// locally from the last known shared count. So each process enforces the limit alone (I12), and no client gets an error
// or a refusal because of the outage (I11). Each request sends the local count as a floor, so that a server that lost
// its counts gets them again. A late server gets time if its count decides. A request far from its limit continues
// with the local count, and the server is informed later. If a server stops answering, one request waits until the
// outage is certain, and almost no other request waits (F6).

import type { Count, Counters } from './counters.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { createCountersNotices, type CountersNotice } from './counters-notices.ts';
import { createMemoryCounters, type MemoryCounters } from './memory-counters.ts';
import { createPendingHits, type PendingHits } from './pending-hits.ts';
import { createReplyTimeout, type ReplyTimeout } from './reply-timeout.ts';
import {
  type SharedCount,
  type SharedCounters,
  type SharedHit,
  floorOf,
  adoptReply,
  mergeWindow,
} from './shared-counters.ts';
import type { Window } from './windows.ts';

/** A request waits this long for the shared count, once. 50 ms fired falsely on a healthy server under load. */
const silentMs = 250;
/** A server without any reply for this time, while a request waits, is late. */
const lateMs = 25;
/**
 * Assumes that as many processes have sent as many unanswered requests as this one: with room for all of them, no
 * request exceeds a limit.
 */
const mostProcesses = 10;
const standardTrialPeriodMs = 500;

export interface ResilientCountersOptions {
  readonly shared: SharedCounters;
  readonly notice: (notice: CountersNotice) => void;
  /** a monotonic clock in milliseconds, e.g. performance.now */
  readonly monotonicMs: () => number;
  /** the time from a failure to the next attempt to use the shared count; default: 500 */
  readonly trialPeriodMs?: number;
}

interface Waiting {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly nowMs: number;
  readonly answer: (count: Count) => void;
}

/** Resolves once the shared count is connected, or known to be away; then it starts degraded and recovers by itself. */
export async function openResilientCounters(options: ResilientCountersOptions): Promise<Counters> {
  const { shared } = options;
  const parts = createParts(options);
  const { local, breaker } = parts;
  await shared.connect();
  await tryShared(shared).catch(breaker.trip);
  return {
    hit: (key, limit, windowMs, nowMs) => {
      if (breaker.isOpen()) return local.hit(key, limit, windowMs, nowMs);
      return ask(parts, key, limit, windowMs, nowMs);
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
}

interface Parts {
  readonly shared: SharedCounters;
  readonly local: MemoryCounters;
  readonly pending: PendingHits;
  readonly replies: ReplyTimeout<Waiting>;
  readonly breaker: Breaker;
}

function createParts({
  shared,
  notice,
  monotonicMs,
  trialPeriodMs = standardTrialPeriodMs,
}: ResilientCountersOptions): Parts {
  const local = createMemoryCounters();
  const pending = createPendingHits();
  const notices = createCountersNotices(notice, monotonicMs);
  const fallBack = (waiting: Waiting): void => countLocally(local, waiting);
  const breaker = createBreaker({
    periodMs: trialPeriodMs,
    trial: () => tryShared(shared),
    onFailure: (reason) => {
      notices.degraded(reason);
      replies.drain().forEach(fallBack);
    },
    onRecovery: notices.recovered,
  });
  const replies = createReplyTimeout<Waiting>({
    lateMs,
    silentMs,
    onLate: () =>
      replies
        .release(({ key, limit, windowMs, nowMs }) => isFarFromLimit(parts, key, limit, windowMs, nowMs))
        .forEach(fallBack),
    onTimeout: () => breaker.trip(silent(silentMs)),
    monotonicMs,
  });
  const parts: Parts = { shared, local, pending, replies, breaker };
  return parts;
}

/** A late server counts as lost, because it would delay the next request. */
function tryShared(shared: SharedCounters): Promise<unknown> {
  return within(silentMs, shared.hit(trialHit));
}

/** Runs for every request: plain values and few closures, which cost a quarter of newly made objects. */
function ask(parts: Parts, key: string, limit: number, windowMs: number, nowMs: number): Count | Promise<Count> {
  const { shared, local, pending, replies } = parts;
  pending.asked(key);
  const reply = shared.hit({ key, limit, windowMs, floor: floorOf(local, key, windowMs, nowMs) });
  if (!replies.isLate() || !isFarFromLimit(parts, key, limit, windowMs, nowMs))
    return new Promise((answer) => waitFor(parts, reply, { key, limit, windowMs, nowMs, answer }));
  adoptLater(parts, reply, key, windowMs, nowMs);
  return local.hit(key, limit, windowMs, nowMs);
}

/** Answers with the reply, unless the request has continued without it. If the reply fails, the local count answers. */
function waitFor({ local, pending, replies, breaker }: Parts, reply: Promise<SharedCount>, waiting: Waiting): void {
  replies.add(waiting);
  reply.then(
    (count) => {
      const { key, limit, windowMs, nowMs, answer } = waiting;
      pending.answered(key, nowMs);
      // a reply that comes too late still updates the window; its request has been answered
      const resetAtMs = adoptReply(local, key, windowMs, count, nowMs);
      if (replies.replied(waiting))
        answer({ admitted: count.admitted, remaining: Math.max(0, limit - count.used), resetAtMs });
    },
    (reason: unknown) => {
      pending.failed(waiting.key);
      if (replies.replied(waiting)) countLocally(local, waiting);
      breaker.trip(reason);
    },
  );
}

/** No request waits for the reply; it updates the window. */
function adoptLater(
  { local, pending, replies, breaker }: Parts,
  reply: Promise<SharedCount>,
  key: string,
  windowMs: number,
  nowMs: number,
): void {
  reply.then(
    (count) => {
      pending.answered(key, nowMs);
      replies.replied(undefined);
      adoptReply(local, key, windowMs, count, nowMs);
    },
    (reason: unknown) => {
      pending.failed(key);
      breaker.trip(reason);
    },
  );
}

function countLocally(local: MemoryCounters, { key, limit, windowMs, nowMs, answer }: Waiting): void {
  answer(local.hit(key, limit, windowMs, nowMs));
}

/** True if a request is certainly far from its limit, although the shared count is late. */
function isFarFromLimit(
  { local, pending }: Parts,
  key: string,
  limit: number,
  windowMs: number,
  nowMs: number,
): boolean {
  const open = pending.openOf(key, nowMs);
  const known = open === undefined ? undefined : local.peek(key, windowMs, nowMs);
  return open !== undefined && known !== undefined && known.used + mostProcesses * open <= limit;
}

async function lookUp(
  shared: SharedCounters,
  key: string,
  known: Window | undefined,
  nowMs: number,
): Promise<Window | undefined> {
  try {
    const found = await shared.peek(key);
    return found === undefined ? known : mergeWindow(known, found, nowMs);
  } catch {
    return known; // a lookup decides nothing: the next counted request finds the fault
  }
}

/** Rejects if no reply arrives in time. Arrived replies are read first, as in reply-timeout.ts. */
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
 * The hit of a trial writes like a request, which a read-only or full server refuses. Its key expires after a second.
 */
const trialHit: SharedHit = {
  key: 'trial',
  limit: Number.MAX_SAFE_INTEGER,
  windowMs: 1000,
  floor: { used: 0, endsInMs: 0 },
};
