// The composition root of metrics: request counts, facts of the process and the registry, and the metrics listener.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { lastBuildPath, parseLastBuild, type LastBuild } from '../../build/contract/last-build.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { createMetricsListener } from '../../proxy/core/observe/metrics-listener.ts';
import type { WorkerStatus } from '../../proxy/core/observe/health.ts';
import { createRequestCounts } from '../../proxy/core/observe/metrics.ts';
import { type Family, gauge } from '../../proxy/core/observe/metrics-text.ts';
import { openProcessMetrics } from '../../proxy/core/observe/process-metrics.ts';
import { diskFamilies } from './disk-metrics.ts';
import { listenRefusal } from './listen-refusal.ts';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { ServingFacts, Metrics } from './metrics.ts';
import type { Context } from '../io/context.ts';
import { version } from '../io/version.ts';

/** Gauges about one thing that every worker sees: the largest value counts, not the sum. */
export const commonGauges: readonly string[] = [
  'libretto_counters_degraded',
  'libretto_state_away',
  'libretto_origin_stale',
  'libretto_policy_feed_rows',
  'libretto_policy_feed_fetched_seconds',
  'libretto_policy_feed_shrunk',
];

export interface MetricsParts {
  /** undefined: the server is a single process */
  readonly workerStatus: WorkerStatus | undefined;
  /** the kinds of features' routes */
  readonly routes: readonly string[];
}

export function openMetrics(
  config: Config,
  address: ListenAddress,
  { now }: Pick<Context, 'now'>,
  { workerStatus, routes }: MetricsParts,
): Metrics {
  const counts = createRequestCounts(routes);
  const nowMs = (): number => now().getTime();
  let close = async (): Promise<void> => undefined;
  let own = async (): Promise<readonly Family[]> => [];
  return {
    counts,
    own: () => own(),
    listen: async (facts) => {
      const running = openProcessMetrics(nowMs);
      own = async () => [...counts.families(), ...servingFamilies(facts), ...(await running.families())];
      close = async () => running.close();
      if (workerStatus !== undefined) return undefined;
      const { tree, onError } = facts;
      const families = async (): Promise<readonly Family[]> => [
        ...(await own()),
        ...registryFamilies(config, await tree.publication(), nowMs()),
        ...(await diskFamilies(config.data.value)),
      ];
      const listener = createMetricsListener({ ...address, families, onError });
      close = async () => {
        running.close();
        await listener.close();
      };
      return listener.listen().catch((error: unknown) => {
        throw listenRefusal(error, { value: address, origin: config.metrics.origin }, '--metrics');
      });
    },
    close: () => close(),
  };
}

/** The current state of serving: connections, counters, state, origin and features. */
function servingFamilies({ connections, degraded, stateAway, features, tree }: ServingFacts): readonly Family[] {
  const ofOrigin = gauge(
    'libretto_origin_stale',
    '1 while the origin fails and cached content is served.',
    Number(tree.files.stale()),
  );
  return [
    gauge('libretto_connections', 'Connections of clients that are open.', connections()),
    gauge(
      'libretto_counters_degraded',
      '1 while the shared counters cannot be reached and this process counts alone.',
      Number(degraded()),
    ),
    gauge(
      'libretto_state_away',
      '1 while the Redis of the state is unavailable: known tokens are served for the grace period, then none.',
      Number(stateAway()),
    ),
    ...(tree.isElsewhere ? [ofOrigin] : []),
    ...features(),
  ];
}

/** The current publication, and the result of the last build on this data folder. */
export function registryFamilies(
  { data, origin }: Config,
  publication: Publication | undefined,
  nowMs: number,
): Family[] {
  // For a registry with an origin, builds run on another host.
  const last = origin.value === undefined ? readLastBuild(data.value) : undefined;
  const seconds = (time: string): number => Date.parse(time) / 1000;
  return [
    {
      ...gauge('libretto_build_info', 'The running version of Libretto.', 1),
      samples: [{ labels: { version }, value: 1 }],
    },
    gauge('libretto_publication_serial', 'The newest publication.', publication?.serial),
    gauge(
      'libretto_publication_timestamp_seconds',
      'The time of the newest publication, in seconds since 1970.',
      publication && seconds(publication.published_at),
    ),
    gauge(
      'libretto_publication_age_seconds',
      'The age of the newest publication, in seconds.',
      publication && nowMs / 1000 - seconds(publication.published_at),
    ),
    gauge(
      'libretto_last_build_timestamp_seconds',
      'When the last build ended, in seconds since 1970.',
      last && seconds(last.finished_at),
    ),
    gauge('libretto_last_build_failed', '1 if the last build failed.', last && Number(last.outcome === 'failed')),
    gauge('libretto_last_build_quarantined', 'Versions that the last build left out.', last?.quarantined),
    gauge('libretto_last_build_failed_sources', 'Sources that the last build could not read.', last?.failed_sources),
  ];
}

function readLastBuild(dataDirectory: string): LastBuild | undefined {
  try {
    return parseLastBuild(readFileSync(join(dataDirectory, lastBuildPath), 'utf8'));
  } catch {
    return undefined; // no build yet, or a damaged record that the next build replaces
  }
}
