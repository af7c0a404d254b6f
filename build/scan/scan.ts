// Reads the chosen sources concurrently, and returns for each source its content or the error of the read.

import { existsSync } from 'node:fs';
import pLimit from 'p-limit';
import type { PackageName } from '../contract/name.ts';
import type { ProgressEvent } from '../contract/build-report.ts';
import type { RememberedSource } from '../memory/source-memory.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { Release, Source, SourceMemory } from '../sources/release.ts';
import { FetchNeeded } from '../contract/refusals.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import type { ChosenSource } from './chosen-source.ts';

export type ScannedSource = SourceFacts &
  (
    | { readonly outcome: 'unchanged' }
    | { readonly outcome: 'failed'; readonly reason: string }
    | {
        readonly outcome: 'read';
        readonly packages: ReleasesByName;
        readonly former: ReleasesByName;
        readonly quarantined: readonly Quarantine[];
        readonly notices: readonly string[];
        readonly idle: readonly string[];
        readonly memory: SourceMemory;
      }
  );

/**
 * The staging of a package takes its releases out of the map. A build may have tens of thousands of releases, and must
 * not hold them until its end.
 */
export type ReleasesByName = Map<PackageName, readonly Release[]>;

/** The facts about a source before the build reads the source. */
interface SourceFacts {
  readonly chosen: ChosenSource;
  readonly remembered: RememberedSource | undefined;
  /** the digest of the options for this read */
  readonly optionsDigest: string;
  /**
   * the memory of the source does not hold for these options and settings: the build reads the source again and
   * rebuilds its records
   */
  readonly renewed: boolean;
  /** the damage of the source's memory, for people */
  readonly damage?: string;
}

export type ReadSource = Extract<ScannedSource, { outcome: 'read' }>;

export function isRead(source: ScannedSource): source is ReadSource {
  return source.outcome === 'read';
}

export interface OpenSource extends SourceFacts {
  readonly source: Source;
}

/** Throws FetchNeeded after the read of all sources if one of them was not fetched. */
export async function scanSources(
  sources: readonly OpenSource[],
  parallel: number,
  progress: (event: ProgressEvent) => void,
): Promise<readonly ScannedSource[]> {
  const limit = pLimit(parallel);
  let done = 0;
  const scanned = await Promise.all(
    sources.map((open) =>
      limit(async () => {
        const found = await scanOne(open);
        done += 1;
        progress({
          phase: 'scan',
          done,
          total: sources.length,
          label: open.chosen.spec.shown,
          detail: describeFound(open, found),
        });
        return found;
      }),
    ),
  );
  return scanned.map((found) => found ?? needFetch());
}

/** Why a source was read or not, and what it has. */
function describeFound({ remembered, renewed }: SourceFacts, found: ScannedSource | undefined): string {
  if (found === undefined) return 'it has to be fetched again';
  if (found.outcome === 'unchanged') return 'unchanged since the last build';
  if (found.outcome === 'failed') return `failed: ${found.reason}`;
  const why =
    remembered === undefined
      ? 'read for the first time'
      : renewed
        ? 'read again, because its options or the settings have changed'
        : 'changed since the last build, or shortly before it';
  const releases = [...found.packages.values()].reduce((sum, { length }) => sum + length, 0);
  return `${why}; packages: ${found.packages.size}, versions: ${releases}`;
}

function needFetch(): never {
  throw new FetchNeeded();
}

/** undefined: it has to be fetched first */
async function scanOne({ source, ...known }: OpenSource): Promise<ScannedSource | undefined> {
  const found = await source.scan(known.remembered?.memory);
  if (found.outcome === 'unfetched') return undefined;
  if (found.outcome === 'failed') return { ...known, ...found, reason: `${found.reason}${moveAdvice(known)}` };
  if (found.outcome !== 'read') return { ...known, ...found };
  const {
    releases,
    former = [],
    quarantined,
    notices,
    idle,
    memory,
  } = known.chosen.hasOptions
    ? await (
        await import('./filter-scan.ts')
      ).filterScan(found, known.chosen.options, known.chosen.spec.place.kind === 'package')
    : { ...found, idle: [] };
  return {
    ...known,
    outcome: 'read',
    packages: byName(releases),
    former: byName(former),
    quarantined,
    notices,
    idle,
    memory,
  };
}

/** The advice for a source that was read before, and is gone. */
function moveAdvice({ chosen: { spec, from }, remembered }: SourceFacts): string {
  const { place } = spec;
  if (remembered === undefined || !('path' in place) || existsSync(place.path)) return '';
  if (from === 'configuration')
    return ' It comes from libretto.json: correct its path there, or name that file with --config.';
  if (from !== 'argument') return '';
  return ` If the source moved: \`libretto build --relocate ${quoteForShell(`${place.path}=NEW_PATH`)}\`.`;
}

function byName(releases: readonly Release[]): ReleasesByName {
  const groups = new Map<PackageName, Release[]>();
  for (const release of releases) {
    const group = groups.get(release.name);
    if (group === undefined) groups.set(release.name, [release]);
    else group.push(release);
  }
  return groups;
}
