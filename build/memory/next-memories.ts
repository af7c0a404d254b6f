// What is remembered of each source that was read, pure: enough to skip it next time, and never enough to skip something that still has to be said
// or done.

import type { PackageName } from '../contract/name.ts';
import type { PackagesOutcome } from '../outcome.ts';
import type { PackageLimit } from '../package-limit.ts';
import type { ReadSource, ScannedSource } from '../scan.ts';
import type { Quarantine, QuarantineCode } from '../sources/quarantine.ts';
import { formatMemory, type RememberedSource } from './source-memory.ts';

/**
 * Depends on other sources, on how the build was called, or on a fault that can be mended without the source looking any different: a source with
 * such a version is always read again.
 */
const contested: ReadonlySet<QuarantineCode> = new Set(['DUPLICATE_VERSION', 'VERSION_CHANGED', 'BROKEN_OBJECT', 'UNREADABLE_FILE']);

/** Never equal to a digest of releases: the package is looked at in every build. */
const openQuestion = '';

/** Source id → bytes of its memory, for those whose memory changed. `limit`: of the packages that were looked at; undefined for all. */
export function nextMemories(scanned: readonly ScannedSource[], packages: PackagesOutcome, limit?: PackageLimit): ReadonlyMap<string, string> {
  const memories = new Map<string, string>();
  const findings = findingsBySource(packages);
  for (const source of scanned) {
    if (source.outcome !== 'read') continue;
    const whole = wholeMemory(source, packages, findings.get(source.chosen.spec.id));
    const text = formatMemory(limit === undefined ? whole : partialMemory(whole, source.remembered, limit));
    const before = source.remembered === undefined ? undefined : formatMemory(source.remembered);
    if (text !== before) memories.set(source.chosen.spec.id, text);
  }
  return memories;
}

/** What this build found of one source. */
interface Findings {
  readonly quarantined: Quarantine[];
  /** packages of which it had a version refused */
  readonly refused: Set<PackageName>;
  /** normalized versions published from it, of the packages that were looked at */
  readonly published: Map<PackageName, string[]>;
}

/** Gathered in one pass: there may be thousands of sources, and thousands of packages. */
function findingsBySource({ quarantined, results }: PackagesOutcome): ReadonlyMap<string, Findings> {
  const findings = new Map<string, Findings>();
  const of = (source: string): Findings => {
    const known = findings.get(source) ?? { quarantined: [], refused: new Set(), published: new Map() };
    findings.set(source, known);
    return known;
  };
  for (const { source, quarantine } of quarantined) of(source).quarantined.push(quarantine);
  for (const { name, refused, published } of results) {
    for (const { source } of refused) of(source).refused.add(name);
    for (const { source, version_normalized: version } of published) {
      const known = of(source).published;
      const versions = known.get(name);
      if (versions === undefined) known.set(name, [version]);
      else versions.push(version);
    }
  }
  return findings;
}

function wholeMemory({ chosen, memory, optionsDigest, packages: releases }: ReadSource, packages: PackagesOutcome, findings: Findings | undefined): RememberedSource {
  const { id } = chosen.spec;
  const mine = findings?.quarantined ?? [];
  const isContested = mine.some(({ code }) => contested.has(code));
  return { memory: isContested ? { ...memory, fingerprint: '' } : memory, options: optionsDigest, packages: sorted(digestsOf(packages.digests.get(id), releases, findings)), quarantined: mine };
}

/** Of the packages that were not looked at all stays as it was, what is still to be done and what was said of them. The source is read again. */
function partialMemory(whole: RememberedSource, before: RememberedSource | undefined, { admits }: PackageLimit): RememberedSource {
  const looked = Object.entries(whole.packages).filter(([name]) => admits(name));
  const others = Object.entries(before?.packages ?? {}).filter(([name]) => !admits(name));
  const said = (before?.quarantined ?? []).filter(({ name }) => name === null || !admits(name));
  return {
    memory: { ...whole.memory, fingerprint: '' },
    options: before?.options ?? whole.options,
    packages: sorted([...looked, ...others]),
    quarantined: [...said, ...whole.quarantined],
  };
}

function sorted(digests: Iterable<readonly [string, string]>): Readonly<Record<string, string>> {
  return Object.fromEntries([...digests].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** A version that stays published although the source does not have it now (it could not be read) keeps its package an open question. */
function digestsOf(current: ReadonlyMap<PackageName, string> | undefined, releases: ReadSource['packages'], findings: Findings | undefined): ReadonlyMap<PackageName, string> {
  const digests = new Map(current);
  for (const [name, versions] of findings?.published ?? []) {
    const there = new Set<string>(releases.get(name)?.map(({ normalized }) => normalized));
    if (versions.some((version) => !there.has(version))) digests.set(name, openQuestion);
  }
  for (const name of findings?.refused ?? []) digests.set(name, openQuestion);
  return digests;
}
