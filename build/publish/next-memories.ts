// The next memory of each source that the build has read. A memory lets the next build skip an unchanged source, but
// never an open notice or task. Pure.

import type { PackageName } from '../contract/name.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { PackageLimit } from '../scan/package-limit.ts';
import type { ReadSource, ScannedSource } from '../scan/scan.ts';
import type { Quarantine, QuarantineCode } from '../contract/quarantine.ts';
import { purgedKey } from '../contract/purged.ts';
import type { BlockedFinding } from '../package/blocked-findings.ts';
import { isOutside, type SourceSpec } from '../sources/spec.ts';
import { formatSourceMemory, type RememberedBlock, type RememberedSource } from '../memory/source-memory.ts';

/**
 * These codes depend on other sources, on the build's options, or on a fault outside the source. A source with such a
 * version looks unchanged after a repair, so every build reads the source again.
 */
const contested: ReadonlySet<QuarantineCode> = new Set([
  'DUPLICATE_VERSION',
  'VERSION_CHANGED',
  'BROKEN_OBJECT',
  'UNREADABLE_FILE',
  'ARCHIVE_MISMATCH',
]);

/** Never equals a digest of releases: every build examines the package. */
const openQuestion = '';

/**
 * Source id → bytes of its memory, for each source whose memory changed. `limit`: of the examined packages; undefined
 * for all. `blocked`: releases that are purged.
 */
export function nextMemories(
  scanned: readonly ScannedSource[],
  packages: PackagesOutcome,
  limit?: PackageLimit,
  blocked: readonly BlockedFinding[] = [],
): ReadonlyMap<string, string> {
  const memories = new Map<string, string>();
  const findings = findingsBySource(packages);
  for (const source of scanned) {
    if (source.outcome !== 'read') continue;
    const whole = wholeMemory(source, packages, findings.get(source.chosen.spec.id));
    const text = formatSourceMemory({
      ...(limit === undefined ? whole : partialMemory(whole, source.remembered, limit)),
      ...blockedOf(source.chosen.spec.id, blocked),
    });
    const before = source.remembered === undefined ? undefined : formatSourceMemory(source.remembered);
    if (text !== before) memories.set(source.chosen.spec.id, text);
  }
  return memories;
}

function blockedOf(id: string, findings: readonly BlockedFinding[]): Pick<RememberedSource, 'blocked'> {
  const mine = findings.filter(({ source }) => source === id);
  if (mine.length === 0) return {};
  return {
    blocked: mine.map(({ name, version, where, tombstone }): RememberedBlock => ({
      name,
      version,
      where,
      tombstone: purgedKey(tombstone),
    })),
  };
}

/** The findings of this build about one source. */
interface Findings {
  readonly quarantined: Quarantine[];
  /** the examined packages that the next build has to examine again for this source */
  readonly packagesToRecheck: PackageName[];
}

/** Gathered in one pass: there may be thousands of sources, and thousands of packages. */
function findingsBySource({ quarantined, results }: PackagesOutcome): ReadonlyMap<string, Findings> {
  const findings = new Map<string, Findings>();
  const of = (source: string): Findings => {
    const known = findings.get(source) ?? { quarantined: [], packagesToRecheck: [] };
    findings.set(source, known);
    return known;
  };
  for (const { source, quarantine } of quarantined) of(source).quarantined.push(quarantine);
  for (const { name, sourcesToRecheck } of results)
    for (const source of sourcesToRecheck) of(source).packagesToRecheck.push(name);
  return findings;
}

function wholeMemory(
  { chosen, memory, optionsDigest }: ReadSource,
  packages: PackagesOutcome,
  findings: Findings | undefined,
): RememberedSource {
  const { id } = chosen.spec;
  const mine = findings?.quarantined ?? [];
  const isContested = mine.some(({ code }) => contested.has(code));
  return {
    memory: isContested ? { ...memory, fingerprint: '' } : memory,
    options: optionsDigest,
    packages: sorted(
      new Map([
        ...(packages.digests.get(id) ?? []),
        ...(findings?.packagesToRecheck ?? []).map((name) => [name, openQuestion] as const),
      ]),
    ),
    quarantined: mine,
    ...placeOf(chosen.spec),
  };
}

/** A source inside the data folder moves with it. */
function placeOf({ location, place }: SourceSpec): Pick<RememberedSource, 'place'> {
  return 'path' in place && isOutside(location) ? { place: place.path } : {};
}

/** Packages that were not examined keep their memory, their open tasks and their faults. The source is read again. */
function partialMemory(
  whole: RememberedSource,
  before: RememberedSource | undefined,
  { admits }: PackageLimit,
): RememberedSource {
  const looked = Object.entries(whole.packages).filter(([name]) => admits(name));
  const others = Object.entries(before?.packages ?? {}).filter(([name]) => !admits(name));
  const formerlyQuarantined = (before?.quarantined ?? []).filter(({ name }) => name === null || !admits(name));
  return {
    memory: { ...whole.memory, fingerprint: '' },
    options: before?.options ?? whole.options,
    packages: sorted([...looked, ...others]),
    quarantined: [...formerlyQuarantined, ...whole.quarantined],
    ...(whole.place === undefined ? {} : { place: whole.place }),
  };
}

function sorted(digests: Iterable<readonly [string, string]>): Readonly<Record<string, string>> {
  return Object.fromEntries([...digests].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
