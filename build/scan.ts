// Reads the chosen sources, several at once, and says for each what it holds now or why that could not be seen.

import pLimit from 'p-limit';
import type { PackageName } from './contract/name.ts';
import type { ProgressEvent } from './report.ts';
import type { RememberedSource } from './memory/source-memory.ts';
import type { Quarantine } from './sources/quarantine.ts';
import type { Release, Source, SourceMemory } from './sources/release.ts';
import type { ChosenSource } from './sources/remembered.ts';

export type ScannedSource = { readonly chosen: ChosenSource; readonly remembered: RememberedSource | undefined } & (
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'read'; readonly packages: ReadonlyMap<PackageName, readonly Release[]>; readonly quarantined: readonly Quarantine[]; readonly notices: readonly string[]; readonly memory: SourceMemory }
);

export type ReadSource = Extract<ScannedSource, { outcome: 'read' }>;

export function isRead(source: ScannedSource): source is ReadSource {
  return source.outcome === 'read';
}

export interface OpenSource {
  readonly chosen: ChosenSource;
  readonly remembered: RememberedSource | undefined;
  readonly source: Source;
}

export async function scanSources(sources: readonly OpenSource[], parallel: number, progress: (event: ProgressEvent) => void): Promise<readonly ScannedSource[]> {
  const limit = pLimit(parallel);
  let done = 0;
  return Promise.all(
    sources.map((open) =>
      limit(async () => {
        const scanned = await scanOne(open);
        done += 1;
        progress({ phase: 'scan', done, total: sources.length, label: open.chosen.spec.location });
        return scanned;
      }),
    ),
  );
}

async function scanOne({ chosen, remembered, source }: OpenSource): Promise<ScannedSource> {
  const scan = await source.scan(remembered?.memory);
  if (scan.outcome !== 'read') return { chosen, remembered, ...scan };
  const { releases, quarantined, notices, memory } = scan;
  return { chosen, remembered, outcome: 'read', packages: byName(releases), quarantined, notices, memory };
}

function byName(releases: readonly Release[]): ReadonlyMap<PackageName, readonly Release[]> {
  const groups = new Map<PackageName, Release[]>();
  for (const release of releases) {
    const group = groups.get(release.name);
    if (group === undefined) groups.set(release.name, [release]);
    else group.push(release);
  }
  return groups;
}
