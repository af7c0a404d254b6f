// The rows of the state that say who uses a package: one row for a package and a token, or for a package and the jobs
// of one ref of a trusted publisher, or for a package and a project. A row has its versions with their days.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';

/** Who downloads or installs, as last known. These are types, not interfaces: they are stored as JSON. */
export type PackageUser = {
  /** of the token, the trusted publisher, or the project */
  readonly id: string;
  readonly description: string;
  readonly kind: 'read' | 'write' | 'project';
  /** as in the token's record */
  readonly created_by: string;
  /** the person whose token it is; null: nobody's */
  readonly person: string | null;
  /** the page of the last run of a publisher's job */
  readonly run_url: string | null;
  /** what downloaded or installed last */
  readonly client?: string | null;
};

export type Project = {
  /** `prj_…`: follows from owner and name */
  readonly id: string;
  readonly name: string;
  /** a day in UTC */
  readonly reported: string;
  readonly created_by: string;
  readonly owner: string;
  /** names the packages of the last report */
  readonly list?: string;
};

export type Uses = readonly [downloads: number, installs: number];

export type VersionUse = {
  /** days in UTC, `2026-01-31` */
  readonly first: string;
  readonly last: string;
  /** the day of the last reported install; null: none */
  readonly installed: string | null;
  readonly sum: Uses;
  /** the uses of the last days, which the sum includes */
  readonly days: Readonly<Record<string, Uses>>;
};

export type UsageRow = {
  readonly who: PackageUser;
  readonly versions: Readonly<Record<string, VersionUse>>;
  /** the number of versions that were dropped because a row holds only the newest uses */
  readonly cut: number;
};

/** Of each version: its users, the day of its last use, and the key of who used it then. */
export type VersionSums = Readonly<
  Record<string, readonly [tokens: number, projects: number, last: string, user: string]>
>;

/** What is counted of a package: its rows, those that were removed, and its versions; undefined: they are counted anew. */
export type RowCounts = { readonly rows: number; readonly cut: number; readonly versions?: VersionSums | undefined };

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

export const mostKept = { mostRows: 5000, mostVersions: 100 } as const;
/** Days with counts of their own, today included. */
export const keptDays = 90;
const dayMs = 86_400_000;
const rowsInTurn = 500;

export const usedPrefix = (name: string): string => `used/${name}/`;
/** `who`: the id of a token or project, or of a publisher with a digest of the ref. */
export const usedKey = (name: string, who: string): string => `${usedPrefix(name)}${who}`;
export const projectKey = (id: string): string => `project/${id}`;
/** The row that leads from a user to a package. */
export const usedByKey = (who: string, name: string): string => `used-by/${who}/${name}`;
/** The row with the counts of a package. */
export const usedRowsKey = (name: string): string => `used-rows/${name}`;

/** `days` before the day, such as 89. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, day.length);
}

/** Package and user of the key of a row. */
export function parseUsedKey(key: string): { readonly name: string; readonly who: string } {
  const [, vendor = '', project = '', who = ''] = key.split('/');
  return { name: `${vendor}/${project}`, who };
}

export function rowsIn(entry: StateEntry | undefined): RowCounts {
  const { rows, cut, versions } = isJsonObject(entry?.value) ? entry.value : {};
  const sums = isJsonObject(versions) ? (versions as VersionSums) : undefined;
  return { rows: isCount(rows) ? rows : 0, cut: isCount(cut) ? cut : 0, versions: sums };
}

/** The put of the counts of a package. */
export function putCounts(name: string, { rows, cut, versions }: RowCounts): StateChange['puts'][number] {
  return { key: usedRowsKey(name), value: { rows, cut, ...(versions && { versions }) } };
}

/** Counts the rows of a package. */
export async function countVersions(state: Pick<StateStore, 'range'>, name: string): Promise<VersionSums> {
  let sums: VersionSums = {};
  for await (const rows of usageRows(state, usedPrefix(name)))
    for (const { entry, row } of rows) sums = withRow(sums, parseUsedKey(entry.key).who, undefined, row);
  return sums;
}

/** The counts after a change of the row of `user`. The same object: nothing changes. */
export function withRow(
  sums: VersionSums,
  user: string,
  before: UsageRow | undefined,
  after: UsageRow | undefined,
): VersionSums {
  const changed = new Map<string, VersionSums[string]>();
  for (const version of Object.keys({ ...before?.versions, ...after?.versions })) {
    const [was, is] = [before?.versions[version], after?.versions[version]];
    const [tokens, projects, last, by] = sums[version] ?? [0, 0, '', ''];
    const more = Number(is !== undefined) - Number(was !== undefined);
    const isLast = is !== undefined && is.last > last;
    const added = (after ?? before)?.who.kind === 'project' ? [tokens, projects + more] : [tokens + more, projects];
    if (more !== 0 || isLast)
      changed.set(version, [added[0] ?? 0, added[1] ?? 0, isLast ? is.last : last, isLast ? user : by]);
  }
  if (changed.size === 0) return sums;
  const all = Object.entries({ ...sums, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([, [tokens, projects]]) => tokens + projects > 0));
}

/** Some rows at a time: there may be many, and other requests get their turn in between. */
export async function* usageRows(
  state: Pick<StateStore, 'range'>,
  prefix: string,
): AsyncGenerator<readonly { readonly entry: StateEntry; readonly row: UsageRow | undefined }[]> {
  for (let after: string | undefined; ; await new Promise(setImmediate)) {
    const entries = await state.range(prefix, { limit: rowsInTurn, ...(after === undefined ? {} : { after }) });
    yield entries.map((entry) => ({ entry, row: parseUsageRow(entry.value) }));
    after = entries.at(-1)?.key;
    if (entries.length < rowsInTurn) return;
  }
}

/** The row with more uses of today. Counts of days before the last ones are only in the sums. */
export function withUses(
  row: UsageRow | undefined,
  who: PackageUser,
  more: ReadonlyMap<string, Uses>,
  { today, oldest, mostVersions }: Keeping,
): UsageRow {
  const versions = new Map(Object.entries(keptVersions(row, oldest, today)));
  for (const [version, uses] of more) versions.set(version, withDay(versions.get(version), uses, today));
  const sorted = [...versions].toSorted(([, one], [, other]) => compareText(other.last, one.last));
  const left = sorted.slice(0, mostVersions);
  return { who, versions: Object.fromEntries(left), cut: (row?.cut ?? 0) + sorted.length - left.length };
}

/** Those that were used since `oldest`, each with the counts of the last days alone. The same object: all are kept. */
export function keptVersions(row: UsageRow | undefined, oldest: string, today: string): UsageRow['versions'] {
  const from = dayBefore(today, keptDays - 1);
  const [all, isKept] = [Object.entries(row?.versions ?? {}), (day: string) => day >= from];
  if (all.every(([, { last, days }]) => last >= oldest && Object.keys(days).every(isKept))) return row?.versions ?? {};
  return Object.fromEntries(
    all
      .filter(([, { last }]) => last >= oldest)
      .map(([version, { days, ...use }]) => [
        version,
        { ...use, days: Object.fromEntries(Object.entries(days).filter(([day]) => isKept(day))) },
      ]),
  );
}

/** The clock of another process may be behind: a day never moves back. */
function withDay(known: VersionUse | undefined, more: Uses, today: string): VersionUse {
  const last = known !== undefined && known.last > today ? known.last : today;
  return {
    first: known?.first ?? today,
    last,
    installed: more[1] > 0 ? last : (known?.installed ?? null),
    sum: addedUses(known?.sum, more),
    days: { ...known?.days, [today]: addedUses(known?.days[today], more) },
  };
}

export function addedUses([downloads, installs]: Uses = [0, 0], more: Uses): Uses {
  return [downloads + more[0], installs + more[1]];
}

export function lastUseOf(row: UsageRow | undefined): string {
  return Object.values(row?.versions ?? {}).reduce((latest, { last }) => (last > latest ? last : latest), '');
}

/** undefined for a malformed row, which is ignored: a count is not worth an error. */
export function parseUsageRow(value: JsonValue | undefined): UsageRow | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['who']) || !isJsonObject(value['versions'])) return undefined;
  const { who, versions, cut } = value;
  const isText = (name: string): boolean => typeof who[name] === 'string';
  const texts = ['id', 'description', 'created_by', 'kind'].every(isText);
  const isRow =
    isCount(cut) &&
    texts &&
    ['person', 'run_url', 'client'].every((name) => isText(name) || (who[name] ?? null) === null) &&
    Object.values(versions).every(isUse);
  return isRow ? (value as unknown as UsageRow) : undefined;
}

/** undefined for a malformed row. */
export function parseProject(value: JsonValue | undefined): Project | undefined {
  const isText = (name: string): boolean => isJsonObject(value) && typeof value[name] === 'string';
  return ['id', 'name', 'reported', 'created_by', 'owner'].every(isText) ? (value as unknown as Project) : undefined;
}

function isUse(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value) || !isJsonObject(value['days'])) return false;
  const { first, last, installed, sum, days } = value;
  const isPair = (pair: JsonValue | undefined): boolean =>
    Array.isArray(pair) && pair.length === 2 && pair.every(isCount);
  return (
    [first, last, installed ?? ''].every((day) => typeof day === 'string') &&
    [sum, ...Object.values(days)].every(isPair)
  );
}

export function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
