// The metrics of the mirror: requests to other registries by result, and alarms.

import type { MirrorEvent } from '../../proxy/mirror/upstream/mirror-event.ts';
import type { Family, Sample } from '../../proxy/core/observe/metrics-text.ts';

export interface MirrorMetrics {
  readonly count: (event: MirrorEvent) => void;
  readonly families: () => readonly Family[];
}

const documentOutcomes = ['fetched', 'unchanged', 'missing', 'failed'] as const;
const archiveOutcomes = ['fetched', 'failed', 'refused'] as const;
const alarms = ['archive-refused', 'release-changed'] as const;

/** `release-changed` is counted each time a document is made that still shows the change. */
export function createMirrorMetrics(): MirrorMetrics {
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const samples = (kind: string, label: string, values: readonly string[]): readonly Sample[] =>
    values.map((value) => ({ labels: { [label]: value }, value: counts.get(`${kind} ${value}`) ?? 0 }));
  return {
    count: (event) => {
      if (event.kind === 'document') add(`document ${event.outcome}`);
      else if (event.kind === 'document-failed') add('document failed');
      else if (event.kind === 'archive') add('archive fetched');
      else if (event.kind === 'archive-failed') add('archive failed');
      else if (event.kind === 'archive-refused') add('archive refused');
      if (event.kind === 'archive-refused' || event.kind === 'release-changed') add(`alarm ${event.kind}`);
    },
    families: () => [
      {
        name: 'libretto_mirror_documents_total',
        type: 'counter',
        help: 'Documents requested from other registries, by result.',
        samples: samples('document', 'outcome', documentOutcomes),
      },
      {
        name: 'libretto_mirror_archives_total',
        type: 'counter',
        help: 'Archives fetched from other registries, by result.',
        samples: samples('archive', 'outcome', archiveOutcomes),
      },
      {
        name: 'libretto_mirror_alarms_total',
        type: 'counter',
        help: 'Archives that were refused, and releases that were found changed.',
        samples: samples('alarm', 'kind', alarms),
      },
    ],
  };
}
