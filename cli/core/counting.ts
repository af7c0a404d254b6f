// Counts the requests of each token: in this process, or in a Redis that several servers share.

import type { Counters } from '../../proxy/core/limits/counters.ts';
import type { CountersNotice } from '../../proxy/core/limits/counters-notices.ts';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { loadCounters, saveCounters } from '../../proxy/core/limits/saved-counters.ts';
import type { Log } from '../../proxy/core/observe/log.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { printLines } from '../io/output.ts';
import { sharedCountersUrl } from '../state/open-state.ts';

export interface Counting {
  readonly counters: Counters;
  readonly close: () => Promise<void>;
}

export async function openCounting(
  config: Config,
  { stderr, now }: Context,
  store: StateStore,
  { logger }: Log,
): Promise<Counting> {
  const url = sharedCountersUrl(config);
  if (url === undefined) {
    const nowMs = now().getTime();
    const counters = createMemoryCounters(await loadCounters(store, nowMs), nowMs);
    return { counters, close: () => saveCounters(store, counters.snapshot(now().getTime())) };
  }
  const notice = (notice: CountersNotice): void => {
    logger.warn({ counters: notice });
    printLines(stderr, [describeNotice(notice)]);
  };
  // most servers count in memory
  const [{ createRedisCounters }, { openResilientCounters }] = await Promise.all([
    import('../../proxy/core/limits/redis-counters.ts'),
    import('../../proxy/core/limits/resilient-counters.ts'),
  ]);
  const shared = createRedisCounters({ url });
  const counters = await openResilientCounters({ shared, notice, monotonicMs: () => performance.now() });
  return { counters, close: counters.close };
}

function describeNotice(notice: CountersNotice): string {
  if (notice.state === 'recovered') return 'Redis is back: requests are counted there again.';
  return `Degraded: Redis cannot be used (${notice.reason}). Requests are counted in this process until it is back.`;
}
