// The summary of one package for lists and searches. Its texts come from the newest stable version, and so can differ
// for a token that sees only some versions. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { releaseOf, type ReleaseFacts } from '../core/views/view.ts';
import type { PublishedVersion } from './published-package.ts';

export interface PackageSummary {
  readonly name: PackageName;
  readonly description: string | null;
  readonly type: string;
  readonly keywords: readonly string[];
  /** true, or the replacement */
  readonly abandoned: boolean | string;
  /** the newest stable version, or the newest there is */
  readonly latest_version: string;
  readonly versions: number;
  /** time of its last publication here, RFC 3339 UTC */
  readonly updated_at: string;
  /** its homepage and its source address; null without one */
  readonly homepage: string | null;
  readonly repository: string | null;
  /** names that any of its versions requires */
  readonly requires: ReadonlySet<string>;
  /** the other names in `provide` and `replace` of any of its versions */
  readonly provides: ReadonlySet<string>;
  /** lower case: the text that a search scans */
  readonly text: string;
}

/** Facts that most versions of one package share: stored once for all equal ones. */
export interface SummaryVersion {
  readonly description: string | null;
  readonly type: string;
  readonly keywords: readonly string[];
  readonly abandoned: boolean | string;
  readonly homepage: string | null;
  readonly repository: string | null;
  readonly requires: readonly string[];
  readonly provides: readonly string[];
}

/** A published version as far as lists need it. */
export interface ListedVersion extends ReleaseFacts {
  readonly version: string;
  /** since when this content is published here, RFC 3339 UTC */
  readonly since: string;
  /** when this content was published here first: a withdrawal and a return do not change it. RFC 3339 UTC */
  readonly published: string;
  readonly facts: SummaryVersion;
}

/** `versions`: newest first, and so is the result. */
export function listedVersions(versions: readonly PublishedVersion[]): readonly ListedVersion[] {
  const known = new Map<string, SummaryVersion>();
  const times = new Map<string, string>(); // sharing equal texts saves megabytes for thousands of packages
  const sharedTime = (time: string): string => {
    const same = times.get(time);
    if (same === undefined) times.set(time, time);
    return same ?? time;
  };
  let shared: SummaryVersion | undefined;
  return versions.map(({ entry, record }) => {
    const facts = factsOf(record);
    // most versions have the facts of the one before, and comparing costs less than making a key
    if (shared === undefined || !sameFacts(shared, facts)) {
      const key = JSON.stringify(facts);
      shared = known.get(key) ?? facts;
      known.set(key, shared);
    }
    const { version_normalized, releasedMs } = releaseOf(entry);
    return {
      version_normalized,
      releasedMs,
      version: entry.version,
      since: sharedTime(entry.since),
      published: sharedTime(entry.first_published ?? entry.since),
      facts: shared,
    };
  });
}

function sameFacts(one: SummaryVersion, other: SummaryVersion): boolean {
  return (
    one.description === other.description &&
    one.type === other.type &&
    one.abandoned === other.abandoned &&
    one.homepage === other.homepage &&
    one.repository === other.repository &&
    sameTexts(one.keywords, other.keywords) &&
    sameTexts(one.requires, other.requires) &&
    sameTexts(one.provides, other.provides)
  );
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}

/** undefined of no versions. `versions`: newest first. */
export function summaryOf(name: PackageName, versions: readonly ListedVersion[]): PackageSummary | undefined {
  const latest = latestIn(versions, (version) => version.version_normalized);
  if (latest === undefined) return undefined;
  const { requires: _requires, provides: _provides, ...facts } = latest.facts;
  const all = new Set(versions.map((version) => version.facts));
  return {
    name,
    ...facts,
    latest_version: latest.version,
    versions: versions.length,
    updated_at: versions.reduce((last, { since }) => (since > last ? since : last), ''),
    requires: new Set([...all].flatMap(({ requires }) => requires)),
    provides: new Set([...all].flatMap(({ provides }) => provides)),
    text: [name, facts.description ?? '', ...facts.keywords].join('\n').toLowerCase(),
  };
}

/** The summary with this version as the latest: its texts are those of the package, too. */
export function summaryAt(summary: PackageSummary, { entry, record }: PublishedVersion): PackageSummary {
  const { requires: _requires, provides: _provides, ...facts } = factsOf(record);
  return { ...summary, ...facts, latest_version: entry.version };
}

/** The facts in a record. */
export function factsOf(record: JsonObject): SummaryVersion {
  const support = isJsonObject(record['support']) ? record['support'] : {};
  return {
    description: textOf(record['description']),
    type: textOf(record['type'])?.toLowerCase() ?? 'library',
    keywords: textsOf(record['keywords']),
    abandoned: typeof record['abandoned'] === 'string' ? record['abandoned'] : record['abandoned'] === true,
    homepage: webAddressOf(record['homepage']),
    repository: webAddressOf(support['source']),
    requires: namesOf(record, 'require'),
    provides: [...namesOf(record, 'provide'), ...namesOf(record, 'replace')],
  };
}

/** The newest stable version, or the newest there is. `versions`: newest first (build/contract/ordering.ts). */
export function latestOf(versions: readonly PublishedVersion[]): PublishedVersion | undefined {
  return latestIn(versions, ({ entry }) => entry.version_normalized);
}

function latestIn<Version>(
  versions: readonly Version[],
  normalizedOf: (version: Version) => string,
): Version | undefined {
  return versions.find((version) => parseStability(normalizedOf(version)) === 'stable') ?? versions[0];
}

export const linkKinds = ['require', 'require-dev', 'provide', 'replace', 'conflict', 'suggest'] as const;
export type LinkKind = (typeof linkKinds)[number];

/** Name → constraint; name → reason for `suggest`. */
export function linksOf(record: JsonObject, kind: LinkKind): Readonly<Record<string, string>> {
  const links = record[kind];
  return isJsonObject(links)
    ? Object.fromEntries(Object.entries(links).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : {};
}

function namesOf(record: JsonObject, kind: 'require' | 'provide' | 'replace'): readonly string[] {
  const links = record[kind];
  return isJsonObject(links)
    ? Object.keys(links).flatMap((name) => (typeof links[name] === 'string' ? [name.toLowerCase()] : []))
    : [];
}

export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}

/** Returns the address if it is safe for browsers. */
export function webAddressOf(value: JsonValue | undefined): string | null {
  const text = textOf(value);
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
}
