// The rows of the state that say who uses a package: one row for a package and a token, or for a package and the jobs
// of one ref of a trusted publisher. A row has its versions with their days. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';

/** Who downloads or installs, as last known. A type, not an interface: it is stored as JSON. */
export type PackageUser = {
  /** of the token, or of the trusted publisher */
  readonly id: string;
  readonly description: string;
  readonly kind: 'read' | 'write';
  /** as in the token's record */
  readonly created_by: string;
  /** the person whose token it is; null: nobody's */
  readonly person: string | null;
  /** the page of the last run of a publisher's job */
  readonly run_url: string | null;
};

export interface Uses {
  readonly downloads: number;
  readonly installs: number;
}

export interface VersionUse extends Uses {
  /** days in UTC, `2026-01-31` */
  readonly first: string;
  readonly last: string;
  /** the day of the last reported install; null: none */
  readonly installed: string | null;
  /** the last days, oldest first; the counts above include them */
  readonly days: ReadonlyMap<string, Uses>;
}

export interface UsageRow {
  readonly who: PackageUser;
  readonly versions: ReadonlyMap<string, VersionUse>;
  /** the number of versions that were dropped because a row holds only the newest uses */
  readonly cut: number;
}

/** Days with counts of their own, today included. */
export const keptDays = 90;
const dayMs = 86_400_000;

export const usedPrefix = (name: string): string => `used/${name}/`;
/** `who`: the id of a token, or of a publisher with a digest of the ref. */
export const usedKey = (name: string, who: string): string => `${usedPrefix(name)}${who}`;
/** The row that leads from a user to a package. */
export const usedByKey = (who: string, name: string): string => `used-by/${who}/${name}`;
/** The row with the number of rows of a package. */
export const usedRowsKey = (name: string): string => `used-rows/${name}`;
export const countingKey = 'usage/counting';

/** `days` before the day, such as 89. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, day.length);
}

/** Package and user of the key of a row. */
export function parseUsedKey(key: string): { readonly name: string; readonly who: string } {
  const [, vendor = '', project = '', who = ''] = key.split('/');
  return { name: `${vendor}/${project}`, who };
}

/** What rows hold. */
export interface Keeping {
  readonly today: string;
  /** a use before this day is forgotten */
  readonly oldest: string;
  /** rows of a package */
  readonly mostRows: number;
  /** versions of a row */
  readonly mostVersions: number;
}

/** The row with more uses of today. Counts of days before the last ones are only in the sums. */
export function withUses(
  row: UsageRow | undefined,
  who: PackageUser,
  more: ReadonlyMap<string, Uses>,
  { today, oldest, mostVersions }: Keeping,
): UsageRow {
  const versions = new Map([...(row?.versions ?? [])].filter(([, { last }]) => last >= oldest));
  for (const [version, uses] of more) versions.set(version, withDay(versions.get(version), uses, today));
  const sorted = [...versions].toSorted(([, one], [, other]) => (one.last < other.last ? 1 : -1));
  const left = sorted.slice(0, mostVersions);
  return { who, versions: new Map(left), cut: (row?.cut ?? 0) + sorted.length - left.length };
}

function withDay(known: VersionUse | undefined, more: Uses, today: string): VersionUse {
  const oldest = dayBefore(today, keptDays - 1);
  const before = known?.days.get(today);
  const days = [...(known?.days ?? [])].filter(([day]) => day >= oldest && day !== today);
  return {
    ...sumOfUses(known, more),
    first: known?.first ?? today,
    last: today,
    installed: more.installs > 0 ? today : (known?.installed ?? null),
    days: new Map([...days, [today, sumOfUses(before, more)]]),
  };
}

export function sumOfUses(one: Uses | undefined, other: Uses): Uses {
  return {
    downloads: (one?.downloads ?? 0) + other.downloads,
    installs: (one?.installs ?? 0) + other.installs,
  };
}

export function lastUseOf({ versions }: UsageRow): string {
  return [...versions.values()].reduce((latest, { last }) => (last > latest ? last : latest), '');
}

export function formatUsageRow({ who, versions, cut }: UsageRow): JsonObject {
  const format = ({ days, ...use }: VersionUse): JsonObject => ({
    ...use,
    days: Object.fromEntries([...days].map(([day, { downloads, installs }]) => [day, [downloads, installs]])),
  });
  return { who, versions: Object.fromEntries([...versions].map(([version, use]) => [version, format(use)])), cut };
}

/** undefined for a malformed row, which is ignored: a count is not worth an error. */
export function parseUsageRow(value: JsonValue | undefined): UsageRow | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['who']) || !isJsonObject(value['versions'])) return undefined;
  const { who, versions, cut } = value;
  const isUser =
    ['id', 'description', 'created_by'].every((field) => typeof who[field] === 'string') &&
    ['person', 'run_url'].every((field) => who[field] === null || typeof who[field] === 'string') &&
    (who['kind'] === 'read' || who['kind'] === 'write');
  const uses = Object.entries(versions).map(([version, use]) => [version, parseVersionUse(use)] as const);
  const valid = uses.filter((pair): pair is [string, VersionUse] => pair[1] !== undefined);
  if (!isUser || valid.length < uses.length || !isCount(cut)) return undefined;
  return { who: who as unknown as PackageUser, versions: new Map(valid), cut };
}

function parseVersionUse(value: JsonValue | undefined): VersionUse | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['days'])) return undefined;
  const { first, last, installed = null, downloads, installs, days } = value;
  if (typeof first !== 'string' || typeof last !== 'string' || !isCount(downloads) || !isCount(installs))
    return undefined;
  if (installed !== null && typeof installed !== 'string') return undefined;
  const counts = Object.entries(days).flatMap(([day, count]): [string, Uses][] => {
    const [sent, reported] = Array.isArray(count) ? (count as readonly JsonValue[]) : [];
    return isCount(sent) && isCount(reported) ? [[day, { downloads: sent, installs: reported }]] : [];
  });
  return { first, last, installed, downloads, installs, days: new Map(counts) };
}

export function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
