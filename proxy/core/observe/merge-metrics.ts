// Merges the metrics of several processes: adds their counters, and labels their own values with the process. Pure.

import type { Family, Sample } from './metrics-text.ts';

export interface ProcessFamilies {
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
