// A mirrored package in lists and searches, in little memory. Equal texts of several versions are stored once. The
// versions themselves are one text, which is parsed only for a view that sees some of them. Pure.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import {
  factsOf,
  summaryOf,
  type ListedVersion,
  type PackageSummary,
  type VersionFacts,
} from '../../packages/package-summary.ts';
import { passes, type ReleaseFilter } from '../../views/view.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { offeredVersionsYielding } from '../versions/offered-versions.ts';
import type { OfferedVersion } from '../versions/offered-version.ts';
import { applyRules, type ReleaseRules } from '../rules/release-rules.ts';

export interface CachedSummary {
  readonly summary: PackageSummary;
  /** JSON: normalized version, when it was released or null, which of the facts; as the upstream orders them */
  readonly versions: string;
  readonly facts: readonly VersionFacts[];
}

type Packed = readonly [normalized: string, releasedMs: number | null, facts: number];

/**
 * The number of distinct facts of the newest versions that are stored. Further ones are dropped, so that a few hundred
 * packages cannot fill the memory.
 */
const mostFacts = 4;
const mostVersions = 1000;
const longestText = 500;
const mostNames = 50;
const silent: VersionFacts = {
  description: null,
  type: 'library',
  keywords: [],
  abandoned: false,
  homepage: null,
  repository: null,
  requires: [],
  provides: [],
};

export interface DatedSummary {
  /** undefined: no version of it is offered */
  readonly kept: CachedSummary | undefined;
  /** when a time-dependent rule changes its result */
  readonly changesAtMs: number | undefined;
}

/** `records`: in full, newest first. Versions that the rules refuse do not count. Others get their turn in between. */
export async function cachedSummary(
  name: PackageName,
  records: readonly JsonObject[],
  rules: ReleaseRules,
  nowMs: number,
): Promise<DatedSummary> {
  const { versions } = await offeredVersionsYielding(name, records.slice(0, mostVersions), () => undefined);
  const ruled = applyRules(
    name,
    versions.map(({ record }) => record),
    rules,
    nowMs,
  );
  const offered = new Set(ruled.offered);
  return {
    kept: await packed(
      name,
      versions.filter(({ record }) => offered.has(record)),
    ),
    changesAtMs: ruled.changesAtMs,
  };
}

async function packed(name: PackageName, versions: readonly OfferedVersion[]): Promise<CachedSummary | undefined> {
  const known = new Map<string, number>();
  const facts: VersionFacts[] = [silent];
  const rows = await mapYielding(versions, ({ normalized, record }): Packed => {
    const own = leanFacts(record);
    const key = JSON.stringify(own);
    const at = known.get(key) ?? (facts.length > mostFacts ? 0 : facts.push(own) - 1);
    known.set(key, at);
    const releasedMs = Date.parse(String(record['time']));
    return [normalized, Number.isNaN(releasedMs) ? null : releasedMs, at];
  });
  const summary = summaryOf(name, listed(rows, facts));
  return summary === undefined ? undefined : { summary, versions: JSON.stringify(rows), facts };
}

/** The summary for a caller who sees these versions; undefined: none. */
export function seenSummary(
  { summary, versions, facts }: CachedSummary,
  filter: ReleaseFilter,
): PackageSummary | undefined {
  if (filter === 'all') return summary;
  if (filter === 'none') return undefined;
  const all = listed(JSON.parse(versions) as readonly Packed[], facts);
  const seen = all.filter((version) => passes(filter, version));
  return seen.length === all.length ? summary : summaryOf(summary.name, seen);
}

function listed(rows: readonly Packed[], facts: readonly VersionFacts[]): readonly ListedVersion[] {
  return rows.map(([normalized, releasedMs, at]) => ({
    version_normalized: normalized,
    releasedMs: releasedMs ?? undefined,
    version: normalized,
    since: '',
    facts: facts[at] ?? silent,
  }));
}

/** Texts of other registries can have any length. */
function leanFacts(record: JsonObject): VersionFacts {
  const { description, type, keywords, abandoned, homepage, repository, provides } = factsOf(record);
  return {
    description: description?.slice(0, longestText) ?? null,
    type: type.slice(0, longestText),
    keywords: keywords.slice(0, mostNames).map((keyword) => keyword.slice(0, longestText)),
    abandoned: typeof abandoned === 'string' ? abandoned.slice(0, longestText) : abandoned,
    homepage: short(homepage),
    repository: short(repository),
    requires: [],
    provides: provides.slice(0, mostNames).map((name) => name.slice(0, longestText)),
  };
}

function short(address: string | null): string | null {
  return address === null || address.length > longestText ? null : address;
}
