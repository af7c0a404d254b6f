// Which published versions an advisory or an entry of a filter list is about. Pure.

import type { Advisory, PackageAdvisories } from '../../../../build/contract/advisory-lists.ts';
import { matches, parseConstraint } from '../../../../build/contract/constraint.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../build/contract/json.ts';
import { compareNormalized } from '../../../../build/contract/ordering.ts';
import { isDevVersion, normalizeVersion, type NormalizedVersion } from '../../../../build/contract/version.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import { advisoriesIn, isMalwareId, malwareIn, malwareList } from '../../../policy/judge/facts.ts';
import { webAddress } from './web-links.ts';

/** One advisory, or one entry of a filter list. */
export interface VersionWarning {
  readonly title: string;
  /** the advisory's own id, and those of its sources; empty for an entry of a filter list */
  readonly ids: readonly string[];
  /** a word such as `high`; undefined: unknown */
  readonly severity: string | undefined;
  readonly constraint: string;
  /** RFC 3339; undefined: unknown */
  readonly reportedAt: string | undefined;
  /** undefined: none that a browser may open */
  readonly link: string | undefined;
  /** labels of the published versions that it is about, newest first */
  readonly affected: readonly string[];
  /** the first later releases that no advisory is about, newest first; those of several branches may differ */
  readonly fixedIn: readonly string[];
  readonly isMalware: boolean;
}

type Known = Omit<VersionWarning, 'fixedIn'>;

/** `versions`: newest first. */
export function versionWarnings(
  { advisories, filter }: PackageAdvisories,
  versions: readonly PublishedVersion[],
): readonly VersionWarning[] {
  const known: readonly Known[] = [
    ...advisories.map((advisory) => fromAdvisory(advisory, versions)),
    ...Object.entries(filter).flatMap(([list, entries]) =>
      entries.map((entry) => ({
        title: text(entry['reason']) ?? `On the filter list “${list}”`,
        ids: text(entry['reason']) === undefined ? [] : [`list ${list}`],
        severity: undefined,
        constraint: entry.constraint,
        reportedAt: undefined,
        link: webAddress(entry['url']),
        affected: affectedBy(entry.constraint, versions),
        isMalware: list === malwareList,
      })),
    ),
  ];
  const fixes = new Map(
    versions
      .filter(({ entry }) => known.some(({ affected }) => affected.includes(entry.version)))
      .map((version) => [version.entry.version, fixOf(version, versions, known)]),
  );
  return known.map((one) => ({
    ...one,
    fixedIn: [...new Set(one.affected.flatMap((label) => fixes.get(label) ?? []))],
  }));
}

/** The first later release that no advisory is about. `versions`: newest first. undefined: there is none. */
export function fixOf(
  version: PublishedVersion,
  versions: readonly PublishedVersion[],
  known: readonly Pick<VersionWarning, 'affected'>[],
): string | undefined {
  const isFix = (fix: PublishedVersion): boolean =>
    !isDevVersion(fix.entry.version_normalized) &&
    compareNormalized(normalizedOf(fix), normalizedOf(version)) > 0 &&
    known.every(({ affected }) => !affected.includes(fix.entry.version));
  return versions.findLast(isFix)?.entry.version;
}

function normalizedOf({ entry }: PublishedVersion): NormalizedVersion {
  return entry.version_normalized as NormalizedVersion;
}

/** Whether an advisory is about this version. `label`: as published. */
export function isAdvised({ advisories }: Pick<PackageAdvisories, 'advisories'>, label: string): boolean {
  return isAmong(
    advisories.map(({ affectedVersions }) => affectedVersions),
    label,
  );
}

function isAmong(constraints: readonly string[], label: string): boolean {
  const version = normalizeVersion(label);
  return constraints.some((constraint) => {
    const parsed = parseConstraint(constraint);
    return version !== undefined && !('refusal' in parsed) && matches(parsed.constraint, version);
  });
}

/** What a list of packages says of one: whether it has advisories, or is malware. `latest`: its latest version. */
export function listedWarnings({ advisories, filter }: PackageAdvisories, latest: string) {
  const malware = [...malwareIn(advisoriesIn([...advisories])), ...(filter[malwareList] ?? [])].map(
    ({ constraint }) => constraint,
  );
  const isLatestMalware = isAmong(malware, latest);
  const isLatestAdvised = isLatestMalware || isAdvised({ advisories }, latest);
  return {
    hasAdvisories: advisories.length > 0 || malware.length > 0,
    isLatestAdvised,
    /** of the latest version; if nothing is about it, of others */
    isMalware: isLatestMalware || (malware.length > 0 && !isLatestAdvised),
  };
}

/** What advisories and filter lists say that this version is; undefined: nothing. */
export function warningOf(
  advisories: PackageAdvisories,
  version: PublishedVersion,
): 'malware' | 'advisory' | undefined {
  const found = versionWarnings(advisories, [version]).filter(({ affected }) => affected.length > 0);
  if (found.some(({ isMalware }) => isMalware)) return 'malware';
  return found.length > 0 ? 'advisory' : undefined;
}

function fromAdvisory(advisory: Advisory, versions: readonly PublishedVersion[]): Known {
  const { advisoryId, title, affectedVersions, reportedAt } = advisory;
  const ids = [advisoryId, advisory['cve'], ...remoteIds(advisory)].flatMap((id) => text(id) ?? []);
  return {
    title: text(title) ?? String(advisoryId),
    ids: [...new Set(ids)],
    severity: text(advisory['severity']),
    constraint: affectedVersions,
    reportedAt: text(reportedAt),
    link: webAddress(advisory['link']),
    affected: affectedBy(affectedVersions, versions),
    isMalware: ids.some(isMalwareId),
  };
}

function remoteIds({ sources }: JsonObject): readonly JsonValue[] {
  if (!Array.isArray(sources)) return [];
  return (sources as readonly JsonValue[]).flatMap((source) =>
    isJsonObject(source) && source['remoteId'] !== undefined ? [source['remoteId']] : [],
  );
}

/** A constraint that Composer refuses is about no version. */
function affectedBy(constraint: string, versions: readonly PublishedVersion[]): readonly string[] {
  const parsed = parseConstraint(constraint);
  if ('refusal' in parsed) return [];
  return versions
    .filter((version) => matches(parsed.constraint, normalizedOf(version)))
    .map(({ entry }) => entry.version);
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
