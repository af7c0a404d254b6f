// A mirrored package in lists and searches, in little memory. Equal texts of several versions are stored once. The
// versions themselves are one text, which is parsed only for a view that sees some of them. Pure.

import { noGains, type Gains } from '../../policy/judge/held-releases.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import {
  factsOf,
  summaryOf,
  type ListedVersion,
  type PackageSummary,
  type SummaryVersion,
} from '../../packages/package-summary.ts';
import { passes, type ReleaseFilter } from '../../core/views/view.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { offeredVersionsYielding, type CheckRecord, type OfferedVersion } from '../versions/offered-version.ts';
import { applyRules, type RefusedVersion, type ReleaseRules } from '../rules/release-rules.ts';

export interface CachedSummary {
  readonly summary: PackageSummary;
  /** JSON of the versions, newest first */
  readonly versions: string;
  readonly facts: readonly SummaryVersion[];
}

/** `label`: the version as people write it; `facts`: which of the facts it has */
type Packed = readonly [normalized: string, releasedMs: number | null, facts: number, label: string];

/**
 * The number of distinct facts of the newest versions that are stored. Further ones are dropped, so that a few hundred
 * packages cannot fill the memory.
 */
const mostFacts = 4;
const mostVersions = 1000;
const longestText = 500;
const mostNames = 50;
const silent: SummaryVersion = {
  description: null,
  type: 'library',
  keywords: [],
  abandoned: false,
  homepage: null,
  repository: null,
  requires: [],
  provides: [],
};

/** The versions that are not offered for one reason. */
export interface WithheldVersions {
  /** the setting with the rule; `purged`: a tombstone does; null: they cannot be mirrored */
  readonly setting: RefusedVersion['setting'] | null;
  readonly count: number;
  /** the newest of them, and the reason in its case */
  readonly version: string;
  readonly because: string;
}

export interface DatedSummary {
  /** undefined: no version of it is offered */
  readonly kept: CachedSummary | undefined;
  /** of the versions that rules refuse, if none is offered: lists still name the package */
  readonly refused: CachedSummary | undefined;
  /** one entry for each reason */
  readonly heldBack: readonly WithheldVersions[];
  /** when a time-dependent rule changes its result */
  readonly changesAtMs: number | undefined;
}

/**
 * `records`: in full. `beside`: the keys at the top of their document. Versions that the rules refuse do
 * not count. Others get their turn in between. `check` takes a third of a millisecond for each record.
 */
export async function cachedSummary(
  name: PackageName,
  records: readonly JsonObject[],
  rules: ReleaseRules,
  nowMs: number,
  {
    beside = {},
    gains = noGains,
    check = () => undefined,
  }: { readonly beside?: JsonObject; readonly gains?: Gains; readonly check?: CheckRecord } = {},
): Promise<DatedSummary> {
  const { versions: found, leftOut } = await offeredVersionsYielding(name, records.slice(0, mostVersions), check);
  // a registry may list them in any order
  const versions = found.toSorted((one, other) => compareNormalized(other.normalized, one.normalized));
  const ruled = await applyRules(
    name,
    versions.map(({ record }) => record),
    rules,
    nowMs,
    beside,
    { gains },
  );
  const offered = new Set(ruled.offered);
  const purged = new Set(ruled.refused.filter(({ setting }) => setting === 'purged').map(({ version }) => version));
  const packedIf = (isMeant: (record: JsonObject) => boolean) =>
    packed(
      name,
      versions.filter(({ record }) => isMeant(record)),
    );
  const kept = await packedIf((record) => offered.has(record));
  return {
    kept,
    refused: kept ? undefined : await packedIf(({ version }) => !purged.has(String(version))),
    heldBack: byReason([...ruled.refused, ...leftOut.map((one) => ({ ...one, setting: null }))]),
    changesAtMs: ruled.changesAtMs,
  };
}

/** `refused`: newest first. */
function byReason(refused: readonly Omit<WithheldVersions, 'count'>[]): readonly WithheldVersions[] {
  const reasons = new Map<WithheldVersions['setting'], WithheldVersions>();
  for (const { setting, version, because } of refused) {
    const known = reasons.get(setting) ?? { setting, count: 0, version: lean(version), because: lean(because) };
    reasons.set(setting, { ...known, count: known.count + 1 });
  }
  return [...reasons.values()];
}

function lean(text: string): string {
  return text.slice(0, longestText);
}

async function packed(name: PackageName, versions: readonly OfferedVersion[]): Promise<CachedSummary | undefined> {
  const known = new Map<string, number>();
  const facts: SummaryVersion[] = [silent];
  const rows = await mapYielding(versions, ({ normalized, version, record }): Packed => {
    const own = leanFacts(record);
    const key = JSON.stringify(own);
    const at = known.get(key) ?? (facts.length > mostFacts ? 0 : facts.push(own) - 1);
    known.set(key, at);
    const releasedMs = Date.parse(String(record['time']));
    return [normalized, Number.isNaN(releasedMs) ? null : releasedMs, at, lean(version)];
  });
  const summary = summaryOf(name, listed(rows, facts));
  return summary === undefined ? undefined : { summary, versions: JSON.stringify(rows), facts };
}

/** A version that its registry offers, and the rules of this one too. */
export interface OfferedRelease {
  readonly version: string;
  /** RFC 3339 UTC; null: unknown */
  readonly released_at: string | null;
}

/** Newest first. */
export function offeredReleases({ versions }: Pick<CachedSummary, 'versions'>): readonly OfferedRelease[] {
  return (JSON.parse(versions) as readonly Packed[]).map(([, releasedMs, , version]) => ({
    version,
    released_at: releasedMs === null ? null : new Date(releasedMs).toISOString(),
  }));
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

function listed(rows: readonly Packed[], facts: readonly SummaryVersion[]): readonly ListedVersion[] {
  return rows.map(([normalized, releasedMs, at, label]) => ({
    version_normalized: normalized,
    releasedMs: releasedMs ?? undefined,
    version: label,
    since: '',
    published: '',
    facts: facts[at] ?? silent,
  }));
}

/** Texts of other registries can have any length. */
function leanFacts(record: JsonObject): SummaryVersion {
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
