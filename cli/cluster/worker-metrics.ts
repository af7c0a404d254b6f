// Metrics of a server with several workers: the primary requests the numbers of each worker, adds them, and serves the
// sum.

import { createMetricsListener } from '../../proxy/core/observe/metrics-listener.ts';
import { type Family, type Sample, gauge } from '../../proxy/core/observe/metrics-text.ts';
import { openProcessMetrics } from '../../proxy/core/observe/process-metrics.ts';
import { registryFamilies, commonGauges } from '../serve/compose-metrics.ts';
import { diskFamilies } from '../serve/disk-metrics.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { listenRefusal } from '../serve/listen-refusal.ts';
import { openServedTree } from '../tree/served-tree.ts';
import type { WorkerPool } from './worker-pool.ts';

// Merges the metrics of several processes: adds their counters, and labels their own values with the process. Pure.

interface ProcessFamilies {
  /** the value of the label `process` */
  readonly name: string;
  readonly families: readonly Family[];
}

/** Memory, processor time and loop delay stay separate for each process, since their sum is meaningless. */
function isOfProcess({ name }: Family): boolean {
  return name.startsWith('process_') || name.startsWith('libretto_event_loop_');
}

/**
 * All families of all processes, in the order of their first appearance. `common`: gauges about one thing that
 * every process sees, of which the largest value counts. Other gauges are added.
 */
export function mergeMetrics(processes: readonly ProcessFamilies[], common: readonly string[] = []): Family[] {
  const merged = new Map<string, Family>();
  for (const { name, families } of processes) {
    for (const family of families) {
      const samples = isOfProcess(family)
        ? family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, process: name } }))
        : family.samples;
      const before = merged.get(family.name)?.samples ?? [];
      merged.set(family.name, {
        ...family,
        samples: combine(before, samples, common.includes(family.name) ? Math.max : add),
      });
    }
  }
  return [...merged.values()];
}

/** The counters of an ended process, to be included further: a counter must not fall. */
export function lastingCounts(families: readonly Family[]): Family[] {
  return families.filter((family) => family.type !== 'gauge' && !isOfProcess(family));
}

function add(one: number, other: number): number {
  return one + other;
}

function combine(
  before: readonly Sample[],
  more: readonly Sample[],
  how: (one: number, other: number) => number,
): Sample[] {
  const samples = new Map(before.map((sample) => [keyOf(sample), sample]));
  for (const sample of more) {
    const known = samples.get(keyOf(sample));
    samples.set(keyOf(sample), known === undefined ? sample : { ...sample, value: how(known.value, sample.value) });
  }
  return [...samples.values()];
}

function keyOf({ suffix = '', labels = {} }: Sample): string {
  return `${suffix} ${JSON.stringify(labels)}`;
}

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
  context: Pick<Context, 'environment' | 'now'>,
  onError: (error: unknown) => void,
): WorkerPoolMetrics {
  const { value: address, origin } = config.metrics;
  if (address === undefined)
    return { listen: async () => undefined, addEnded: () => undefined, close: async () => undefined };
  const nowMs = (): number => context.now().getTime();
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
      const primary = await openPrimaryMetrics(config, context, nowMs);
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

/** The metrics of the primary's process, of the number of workers, and of the registry. */
async function openPrimaryMetrics(config: Config, context: Pick<Context, 'environment' | 'now'>, nowMs: () => number) {
  const running = openProcessMetrics(nowMs);
  // The workers report a failing origin.
  const tree = await openServedTree(config, context);
  return {
    /** `serving`: the number of workers that serve */
    families: async (serving: number) => [
      gauge('libretto_workers', 'Workers that are to serve.', config.workers.value),
      gauge('libretto_workers_serving', 'Workers that serve.', serving),
      ...registryFamilies(config, await tree.publication(), nowMs()),
      ...(await diskFamilies(config.data.value)),
      ...(await running.families()),
    ],
    close: (): void => {
      running.close();
      tree.close();
    },
  };
}
