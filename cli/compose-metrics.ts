// The composition root of metrics: what requests counted, what the process and the registry say of themselves, and the address they are read from.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { lastBuildPath, parseLastBuild, type LastBuild } from '../build/contract/last-build.ts';
import { createMetricsListener } from '../proxy/observe/metrics-listener.ts';
import { createRequestCounts, type RequestCounts } from '../proxy/observe/metrics.ts';
import type { Family, Sample } from '../proxy/observe/metrics-text.ts';
import { openProcessMetrics } from '../proxy/observe/process-metrics.ts';
import { listenRefusal } from './listen-refusal.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { readPublication } from './published-tree.ts';
import { version } from './version.ts';

export interface Metrics {
  /** undefined: nobody asks for metrics */
  readonly counts: RequestCounts | undefined;
  /** Throws UsageError where the address cannot be had. Resolves with it; undefined: there is none. */
  readonly listen: (facts: ServingFacts) => Promise<{ readonly host: string; readonly port: number } | undefined>;
  readonly close: () => Promise<void>;
}

export interface ServingFacts {
  readonly connections: () => number;
  readonly degraded: () => boolean;
  readonly onError: (error: unknown) => void;
}

export function composeMetrics({ metrics, data }: Config, { now }: Pick<Context, 'now'>): Metrics {
  if (metrics.value === undefined) return { counts: undefined, listen: async () => undefined, close: async () => undefined };
  const address = metrics.value;
  const counts = createRequestCounts();
  const nowMs = (): number => now().getTime();
  let close = async (): Promise<void> => undefined;
  return {
    counts,
    listen: async ({ connections, degraded, onError }) => {
      const running = openProcessMetrics(nowMs);
      const families = async (): Promise<readonly Family[]> => [
        ...counts.families(),
        gauge('libretto_connections', 'Connections of clients that are open.', connections()),
        gauge('libretto_counters_degraded', '1 while the shared counters cannot be reached and this process counts alone.', Number(degraded())),
        ...registryFamilies(data.value, nowMs()),
        ...(await running.families()),
      ];
      const listener = createMetricsListener({ ...address, families, onError });
      close = async () => {
        running.close();
        await listener.close();
      };
      return listener.listen().catch((error: unknown) => {
        throw listenRefusal(error, { value: address, origin: metrics.origin }, '--metrics');
      });
    },
    close: () => close(),
  };
}

/** What is published, and how the last build on this data folder ended. */
function registryFamilies(dataDirectory: string, nowMs: number): Family[] {
  const publication = readPublication(dataDirectory);
  const last = readLastBuild(dataDirectory);
  const seconds = (time: string): number => Date.parse(time) / 1000;
  return [
    { ...gauge('libretto_build_info', 'The version that runs.', 1), samples: [{ labels: { version }, value: 1 }] },
    gauge('libretto_publication_serial', 'The newest publication.', publication?.serial),
    gauge('libretto_publication_timestamp_seconds', 'When it was published, in seconds since 1970.', publication && seconds(publication.published_at)),
    gauge('libretto_publication_age_seconds', 'How long ago that was.', publication && nowMs / 1000 - seconds(publication.published_at)),
    gauge('libretto_last_build_timestamp_seconds', 'When the last build ended, in seconds since 1970.', last && seconds(last.finished_at)),
    gauge('libretto_last_build_failed', '1: the last build could not be carried out.', last && Number(last.outcome === 'failed')),
    gauge('libretto_last_build_quarantined', 'Versions that it left out.', last?.quarantined),
    gauge('libretto_last_build_failed_sources', 'Sources that it could not read.', last?.failed_sources),
  ];
}

function gauge(name: string, help: string, value: number | undefined): Family {
  const samples: readonly Sample[] = value === undefined ? [] : [{ value }];
  return { name, type: 'gauge', help, samples };
}

function readLastBuild(dataDirectory: string): LastBuild | undefined {
  try {
    return parseLastBuild(readFileSync(join(dataDirectory, lastBuildPath), 'utf8'));
  } catch {
    return undefined; // none yet, or one that the next build mends
  }
}
