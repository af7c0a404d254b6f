// The entries of a package's serving index after a build, pure: it only grows, and one (version, reference) has one
// entry.

import type { VersionRecord } from '../contract/documents.ts';
import { formerFacts } from '../contract/former-facts.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { compareNormalized } from '../contract/ordering.ts';
import { distPath, pinnedDistPath, type DistLabel } from '../contract/paths.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { isDevVersion, type NormalizedVersion } from '../contract/version.ts';
import type { Alias } from '../output/publication.ts';
import { capabilitiesOf, capabilityKey } from '../review/capabilities.ts';
import { compareText } from '../shared/text/compare-text.ts';

export interface NewEntries {
  /** published entries that stay, perhaps with another source */
  readonly kept: readonly IndexEntry[];
  readonly made: readonly IndexEntry[];
  /** the records that readers have before this build, by normalized version */
  readonly records: ReadonlyMap<string, VersionRecord>;
  readonly now: Date;
}

/** All entries in the file's order, and the additional names of archives whose plain name another content takes. */
export function mergeEntries(
  name: PackageName,
  before: readonly IndexEntry[],
  next: NewEntries,
): { readonly entries: readonly IndexEntry[]; readonly pins: readonly Alias[] } {
  const known = new Map(before.map((entry) => [entryKey(entry), entry]));
  const published = new Map(
    [...next.kept, ...next.made].map((entry) => [
      entryKey(entry),
      withFirst(withoutFacts(entry), known.get(entryKey(entry))),
    ]),
  );
  const republished = new Set([...next.kept, ...next.made].map((entry) => entry.version_normalized));
  const pinned = new Set(
    next.made
      .filter(({ version, path }) => path !== distPath(name, version as DistLabel))
      .map(({ version }) => version),
  );
  const pins: Alias[] = [];
  const past = before
    .filter((entry) => !published.has(entryKey(entry)))
    .map((entry) => retire(entry, republished.has(entry.version_normalized), next))
    .map((entry) => {
      const plain = distPath(name, entry.version as DistLabel);
      if (entry.path !== plain || !pinned.has(entry.version)) return entry;
      const path = pinnedDistPath(name, entry.version as DistLabel, entry.reference);
      pins.push({ from: plain, to: path });
      return { ...entry, path };
    });
  return { entries: [...published.values(), ...past].toSorted(compareEntries), pins };
}

function withoutFacts(entry: IndexEntry): IndexEntry {
  if (entry.facts === undefined) return entry;
  const { facts: _facts, ...bare } = entry;
  return bare;
}

/**
 * The entries during the time in which no document has the records of returned versions. The facts stay in case the
 * publication is interrupted, and the next one withdraws them. The same array where no version returns.
 */
export function entriesUntilRecorded(
  entries: readonly IndexEntry[],
  before: readonly IndexEntry[],
): readonly IndexEntry[] {
  const known = new Map(before.flatMap((entry) => (entry.facts === undefined ? [] : [[entryKey(entry), entry.facts]])));
  const returns = (entry: IndexEntry): boolean => entry.state === 'published' && known.has(entryKey(entry));
  if (known.size === 0 || !entries.some(returns)) return entries;
  return entries.map((entry) => {
    const facts = returns(entry) ? known.get(entryKey(entry)) : undefined;
    return facts === undefined ? entry : { ...entry, facts };
  });
}

function retire(entry: IndexEntry, replaced: boolean, { records, now }: NewEntries): IndexEntry {
  if (entry.state !== 'published') return entry;
  // the README of a version that is not offered is never requested
  const { readme: _readme, changelog: _changelog, ...bare } = entry;
  const left = { ...bare, ...factsOf(entry, records.get(entry.version_normalized)) };
  return withFirst({ ...left, state: replaced ? 'superseded' : 'withdrawn', since: now.toISOString() }, entry);
}

/**
 * `record`: the published one of the version. After an interrupted publication it may be of another content, and the
 * index has forgotten the README: then the facts that the index had count.
 */
function factsOf(
  { version, version_normalized: normalized, reference, readme, facts }: IndexEntry,
  record: VersionRecord | undefined,
): Pick<IndexEntry, 'facts'> {
  if (record?.version !== version || record.dist?.reference !== reference) return {};
  const can = isDevVersion(normalized) ? undefined : capabilitiesOf(record as JsonObject).map(capabilityKey);
  return { facts: formerFacts(record, { hasReadme: readme !== undefined || facts?.readme === true, can }) };
}

/**
 * Preserves the first publication date through withdrawals and returns: `published-time` gives the date to clients, and
 * views use it if the source has no date.
 */
function withFirst(entry: IndexEntry, before: IndexEntry | undefined): IndexEntry {
  if (before === undefined) return entry;
  const first =
    [before.first_published ?? before.since, entry.first_published ?? entry.since].toSorted()[0] ?? entry.since;
  return first < entry.since ? { ...entry, first_published: first } : entry;
}

/** One content of a version. */
export function entryKey(entry: IndexEntry): string {
  return `${entry.version}\0${entry.reference}`;
}

function compareEntries(one: IndexEntry, other: IndexEntry): number {
  return (
    compareNormalized(other.version_normalized as NormalizedVersion, one.version_normalized as NormalizedVersion) ||
    Number(other.state === 'published') - Number(one.state === 'published') ||
    compareText(other.since, one.since) ||
    compareText(entryKey(one), entryKey(other))
  );
}
