// Metrics of several processes as one: what they counted is added up, what each is says which one it is. Pure.

import type { Family, Sample } from './metrics-text.ts';

export interface ProcessFamilies {
  /** as the label `process` says it */
  readonly name: string;
  readonly families: readonly Family[];
}

/** Memory, processor time, how late a loop runs: of each process by itself, since a sum of them says nothing. */
function isOfProcess({ name }: Family): boolean {
  return name.startsWith('process_') || name.startsWith('libretto_event_loop_');
}

/**
 * All families of all of them, in the order in which they come up. Gauges that are 0 or 1 are 1 where one says so;
 * other gauges are added up.
 */
export function mergeMetrics(processes: readonly ProcessFamilies[], flags: readonly string[] = []): Family[] {
  const merged = new Map<string, Family>();
  for (const { name, families } of processes) {
    for (const family of families) {
      const samples = isOfProcess(family)
        ? family.samples.map((sample) => ({ ...sample, labels: { ...sample.labels, process: name } }))
        : family.samples;
      const before = merged.get(family.name)?.samples ?? [];
      merged.set(family.name, {
        ...family,
        samples: combine(before, samples, flags.includes(family.name) ? Math.max : add),
      });
    }
  }
  return [...merged.values()];
}

/** The counters of a process, to be kept after its end: a counter must not fall. */
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
