// Metrics of a server with several workers: the primary requests the numbers of each worker, adds them, and serves the
// sum.

import { createMetricsListener } from '../../proxy/core/observe/metrics-listener.ts';
import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import { lastingCounts, mergeMetrics } from '../../proxy/core/observe/merge-metrics.ts';
import { openProcessMetrics } from '../../proxy/core/observe/process-metrics.ts';
import { gauge, registryFamilies, commonGauges } from '../serve/compose-metrics.ts';
import { diskFamilies } from '../serve/disk-metrics.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { listenRefusal } from '../serve/listen-refusal.ts';
import { openServedTree } from '../tree/served-tree.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface WorkerPoolMetrics {
  /** Resolves with the address of the metrics, or undefined without `--metrics`. Throws UsageError. */
  readonly listen: (
    workers: Pick<WorkerPool, 'metrics'>,
  ) => Promise<{ readonly host: string; readonly port: number } | undefined>;
  /** Adds the counters of a worker that ended. */
  readonly addEnded: (last: readonly Family[]) => void;
  readonly close: () => Promise<void>;
}

export function createWorkerPoolMetrics(
  config: Config,
  { now }: Pick<Context, 'now'>,
  onError: (error: unknown) => void,
): WorkerPoolMetrics {
  const { value: address, origin } = config.metrics;
  if (address === undefined)
    return { listen: async () => undefined, addEnded: () => undefined, close: async () => undefined };
  const nowMs = (): number => now().getTime();
  let ended: readonly Family[] = [];
  let close = async (): Promise<void> => undefined;
  return {
    addEnded: (last) => {
      ended = mergeMetrics([
        { name: '', families: ended },
        { name: '', families: lastingCounts(last) },
      ]);
    },
    listen: async (workers) => {
      const primary = await openPrimaryMetrics(config, nowMs);
      const families = async (): Promise<readonly Family[]> => {
        const serving = await workers.metrics();
        const others = [
          { name: 'gone', families: ended },
          { name: 'primary', families: await primary.families(serving.length) },
        ];
        return mergeMetrics([...serving, ...others], commonGauges);
      };
      const listener = createMetricsListener({ ...address, families, onError });
      close = async () => {
        primary.close();
        await listener.close();
      };
      return listener.listen().catch((error: unknown) => {
        throw listenRefusal(error, { value: address, origin }, '--metrics');
      });
    },
    close: () => close(),
  };
}

interface PrimaryMetrics {
  /** `serving`: the number of workers that serve */
  readonly families: (serving: number) => Promise<readonly Family[]>;
  readonly close: () => void;
}

/** The metrics of the primary's process, of the number of workers, and of the registry. */
async function openPrimaryMetrics(config: Config, nowMs: () => number): Promise<PrimaryMetrics> {
  const running = openProcessMetrics(nowMs);
  // The workers report a failing origin.
  const tree = await openServedTree(config, { notice: () => undefined, onNewer: () => undefined });
  return {
    families: async (serving) => [
      gauge('libretto_workers', 'Workers that are to serve.', config.workers.value),
      gauge('libretto_workers_serving', 'Workers that serve.', serving),
      ...registryFamilies(config, await tree.publication(), nowMs()),
      ...(await diskFamilies(config.data.value)),
      ...(await running.families()),
    ],
    close: () => {
      running.close();
      tree.close();
    },
  };
}
