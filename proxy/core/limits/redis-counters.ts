// The count that several hosts share, in Redis: one atomic script for all requests of a turn of the event loop.

import { createRedisClient } from '../redis/redis-client.ts';
import { endSlackMs, type SharedCounters, type SharedCount, type SharedHit } from './shared-counters.ts';

/** Several requests with the same question. */
export interface BatchedHit extends SharedHit {
  readonly requests: number;
}

interface BatchedCount {
  /** the number of granted requests; for the others the limit was used up */
  readonly granted: number;
  /** requests counted in the window, these included */
  readonly used: number;
  readonly endsInMs: number;
}

/** Counts all of them, in order; as many answers. Rejects when the server is lost, slow, or cannot write. */
export type CountBatch = (hits: readonly BatchedHit[]) => Promise<readonly BatchedCount[]>;

interface Waiting {
  readonly resolve: (count: SharedCount) => void;
  readonly reject: (reason: unknown) => void;
}

interface Gathering {
  readonly hit: SharedHit;
  readonly waiting: Waiting[];
}

/**
 * Batches the requests of one turn of the event loop into one command to the counting server, with one reply. The
 * requests of one token become one number. Each request gets the same answer as if it had been counted alone, in order
 * of arrival.
 */
export function batchHits(countTogether: CountBatch): (hit: SharedHit) => Promise<SharedCount> {
  let gathered: Gathering[] = [];
  let newest = new Map<string, Gathering>();
  const leave = (): void => {
    const leaving = gathered;
    gathered = [];
    newest = new Map();
    countTogether(leaving.map(({ hit, waiting }) => ({ ...hit, requests: waiting.length }))).then(
      (counts) => leaving.forEach(({ waiting }, at) => share(waiting, counts[at])),
      (reason: unknown) => {
        for (const { waiting } of leaving) for (const { reject } of waiting) reject(reason);
      },
    );
  };
  return (hit) => {
    let gathering = newest.get(hit.key);
    // a limit that was changed within this turn is another question
    if (gathering === undefined || gathering.hit.limit !== hit.limit || gathering.hit.windowMs !== hit.windowMs) {
      gathering = { hit, waiting: [] };
      newest.set(hit.key, gathering);
      if (gathered.push(gathering) === 1) setImmediate(leave);
    }
    const { waiting } = gathering;
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
    });
  };
}

function share(waiting: readonly Waiting[], count: BatchedCount | undefined): void {
  if (count === undefined) {
    for (const { reject } of waiting) reject(new Error('the reply has fewer counts than were asked for'));
    return;
  }
  const { granted, used, endsInMs } = count;
  waiting.forEach(({ resolve }, at) =>
    resolve(
      at < granted ? { admitted: true, used: used - granted + at + 1, endsInMs } : { admitted: false, used, endsInMs },
    ),
  );
}

/**
 * KEYS: the keys. ARGV for each: limit, window (ms), floor: used, floor: ends in (ms), requests. Returns for each:
 * granted, used, ends in (ms), in one list. The window's end is the key's own expiry, so no clock of this program
 * matters and no key remains behind. A refused request writes nothing and extends nothing. A key without an expiry (a
 * restore, a stray PERSIST) gets one here; otherwise it would refuse forever. A key without a count (another type,
 * another program's text) starts again. Every counted request needs the same three commands, so a Redis user that lacks
 * one is noticed immediately.
 */
const script = `
local counts = {}
for at, key in ipairs(KEYS) do
local first = 5 * (at - 1)
local limit, window = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
local floor_used, floor_ends, requests = tonumber(ARGV[first + 3]), tonumber(ARGV[first + 4]), tonumber(ARGV[first + 5])
local count = redis.pcall('GET', key)
if type(count) == 'table' and not string.find(count.err, 'WRONGTYPE', 1, true) then return count end
local used = type(count) == 'string' and #count < 16 and tonumber(string.match(count, '^%d+$')) or 0
local ends = redis.call('PTTL', key)
local rewrite = false
if ends < 0 or ends > window then
  ends = window
  rewrite = true
end
if floor_used > 0 then
  if floor_used > used then used = floor_used; rewrite = true end
  if floor_ends + ${endSlackMs} < ends then ends = floor_ends; rewrite = true end
end
local granted = math.max(0, math.min(requests, limit - used))
used = used + granted
if rewrite then
  redis.call('SET', key, used, 'PX', math.max(ends, 1))
elseif granted > 0 then
  redis.call('SET', key, used, 'KEEPTTL')
end
counts[#counts + 1] = granted
counts[#counts + 1] = used
counts[#counts + 1] = ends
end
return counts
`;

export interface RedisCountersOptions {
  /** in a form of redis-address.ts, or a socket's path */
  readonly url: string;
  readonly keyPrefix?: string;
}

export function createRedisCounters({ url, keyPrefix = 'libretto:count:' }: RedisCountersOptions): SharedCounters {
  const { redis, connect, reason } = createRedisClient({
    url,
    keyPrefix,
    // resilient-counters.ts limits the wait of requests; this timeout ends an unanswered handshake or trial
    commandTimeout: 500,
    // a connection that is silent while commands wait is replaced, and not waited for until the kernel gives it up
    socketTimeout: 1000,
    scripts: { countRequests: { lua: script } },
  });
  return {
    connect: async () => {
      await connect().catch(() => undefined);
    },
    hit: batchHits(async (hits) => {
      try {
        const keys = hits.map(({ key }) => key);
        const questions = hits.flatMap(({ limit, windowMs, floor, requests }) => [
          limit,
          windowMs,
          floor.used,
          Math.ceil(floor.endsInMs),
          requests,
        ]);
        return countsOf(await redis.countRequests(keys.length, ...keys, ...questions));
      } catch (error) {
        throw reason() ?? error;
      }
    }),
    peek: async (key) => {
      const [used, endsInMs] = await Promise.all([redis.get(key), redis.pttl(key)]);
      // without an expiry it is a window that the next request repairs
      return used === null || endsInMs <= 0 ? undefined : { used: Number(used), endsInMs };
    },
    close: async () => {
      redis.disconnect();
    },
  };
}

function countsOf(numbers: readonly number[]): readonly BatchedCount[] {
  const counts: BatchedCount[] = [];
  for (let at = 0; at + 2 < numbers.length; at += 3)
    counts.push({ granted: numbers[at] ?? 0, used: numbers[at + 1] ?? 0, endsInMs: numbers[at + 2] ?? 0 });
  return counts;
}
