// Metrics of the process for Prometheus: memory, processor time, open files, and the delay of the event loop. A timer
// measures the delay from `open` to `close`; every other value is read on request.

import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { type Family, type Sample, gauge, family } from './metrics-text.ts';

export interface ProcessMetrics {
  /** The quantiles of the delay are those since the last call. */
  readonly families: () => Promise<readonly Family[]>;
  readonly close: () => void;
}

/** An idle event loop measures as late by this timer's own period; the metric subtracts it. */
const resolutionMs = 20;

export function openProcessMetrics(nowMs: () => number): ProcessMetrics {
  const startedAt = nowMs() / 1000 - process.uptime();
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const takeDelays = createDelays(delays);
  return { families: () => readFamilies(takeDelays(), startedAt), close: () => delays.disable() };
}

async function readFamilies(late: readonly Sample[], startedAt: number): Promise<readonly Family[]> {
  const { user, system } = process.cpuUsage();
  const files = await readdir('/proc/self/fd').catch(() => undefined); // Linux only
  return [
    family(
      'summary',
      'libretto_event_loop_delay_seconds',
      'Delay of the event loop. The quantiles are those since the last scrape; quantile 1 is the worst.',
      late,
    ),
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    family('counter', 'process_cpu_seconds_total', 'Processor time, of user and system.', [
      { value: (user + system) / 1e6 },
    ]),
    gauge('process_open_fds', 'Open files and connections.', files?.length),
    gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', startedAt),
  ];
}

/** Each call of the returned function resets the histogram. Sum and count cover all calls, as those of a summary do. */
function createDelays(delays: IntervalHistogram): () => Sample[] {
  let [sum, count] = [0, 0];
  const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  return () => {
    const isEmpty = delays.count === 0;
    const quantiles = [0.5, 0.9, 0.99, 1].map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: isEmpty ? 0 : lateness(delays.percentile(quantile * 100)),
    }));
    if (!isEmpty) sum += lateness(delays.mean) * delays.count;
    count += delays.count;
    delays.reset();
    return [...quantiles, { suffix: '_sum', value: sum }, { suffix: '_count', value: count }];
  };
}
