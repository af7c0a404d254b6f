// Answers who uses a package: the rows of the state, with what is known of tokens and versions now. A caller learns only
// of versions that they see, and of tokens that they may list.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { groupBy } from '../../build/shared/collections/group-by.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import { normalizeVersion } from '../../build/contract/version.ts';
import { viewOf, type Caller, type Operator } from '../auth/caller.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import type { MailParts } from '../mail/mail.ts';
import type { Catalogue } from '../packages/catalogue.ts';
import { readPublishedPackage } from '../packages/published-package.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { publishedTombstones } from '../core/protocol/tombstones.ts';
import type { PolicyAdmin } from '../policy/admin/policy-admin.ts';
import type { PackageStanding } from '../policy/admin/package-standing.ts';
import { describeUsers } from './describe-users.ts';
import { readCounting } from './expired-uses.ts';
import type { TokenCounts } from './token-counts.ts';
import {
  addedUses,
  dayBefore,
  keptDays,
  rowsIn,
  usageRows,
  usedPrefix,
  usedRowsKey,
  type PackageUser,
  type UsageRow,
  type Uses,
  type VersionUse,
} from './usage-row.ts';
import type { UsageDocument, UseDocument } from './usage-schema.ts';

export interface UsageServices {
  readonly published: PublishedFiles;
  readonly policyAdmin: PolicyAdmin;
  readonly state: StateStore;
  readonly catalogue: Catalogue;
  /** undefined: this process counts nothing */
  readonly tokenCounts?: Pick<TokenCounts, 'settle'> | undefined;
  /** undefined: the registry sends no mail */
  readonly mailPlace?: MailParts | undefined;
}

export interface UsageQuestion {
  readonly name: PackageName;
  readonly constraint?: string | undefined;
  /** a day */
  readonly since?: string | undefined;
}

/** Throws NOT_FOUND for a package that the caller does not see, and INVALID_INPUT for a faulty constraint. */
export async function readUsage(
  services: UsageServices,
  { name, constraint, since }: UsageQuestion,
  { caller, nowMs }: { readonly caller: Caller | Operator; readonly nowMs: number },
): Promise<UsageDocument> {
  const satisfies = constraintFilter(constraint);
  const { isSeen, standing } = await seenVersions(services, name, caller, nowMs);
  await services.tokenCounts?.settle();
  const rows = await readRows(services, name);
  if (isSeen === undefined && rows.length === 0) throw await unknown(services, name);
  const found = askedRows(
    rows,
    (version, { last }) => isSeen?.(version) !== false && (since === undefined || last >= since) && satisfies(version),
  );
  const [users, stateOf, counting, counted] = await Promise.all([
    describeUsers(
      services.state,
      found.map(({ who }) => who),
      { caller, nowMs },
    ),
    stateOfVersions(services, name, standing),
    readCounting(services.state),
    services.state.get(usedRowsKey(name)),
  ]);
  const countedFrom = since !== undefined && since >= oldestKeptDay(nowMs) ? since : undefined;
  const data = found.flatMap(({ versions }, at) =>
    Object.entries(versions).map(([version, use]): UseDocument => {
      const token = users[at] ?? null;
      return { token, version, ...stateOf(version), ...showUse(use, countedFrom) };
    }),
  );
  return {
    data: data.toSorted(byLastUse),
    ...usersIn(found.map(({ who }) => who)),
    counted_since: counting?.since ?? null,
    truncated: missing(rowsIn(counted).cut, rows),
  };
}

export async function readRows({ state }: Pick<UsageServices, 'state'>, name: string): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const some of usageRows(state, usedPrefix(name))) rows.push(...some.flatMap(({ row }) => row ?? []));
  return rows;
}

export function usersIn(users: readonly PackageUser[]): Pick<UsageDocument, 'tokens' | 'projects'> {
  const projects = users.filter(({ kind }) => kind === 'project').length;
  return { tokens: users.length - projects, projects };
}

const mostCounted = 5000;

/** Who used one of these versions, by the rule that concerns it. It ends after many rows: then there are more. */
export async function usersOfRules(
  services: Pick<UsageServices, 'state'>,
  versions: readonly { readonly name: string; readonly version: string; readonly rule: string }[],
  view: View | undefined,
): Promise<ReadonlyMap<string, Pick<UsageDocument, 'tokens' | 'projects'>>> {
  const found = new Map<string, Map<string, PackageUser>>();
  let left = mostCounted;
  for (const [name, concerned] of groupBy(versions, (one) => one.name)) {
    if (left <= 0 || filterOf(view, name) !== 'all') continue;
    const rows = await readRows(services, name);
    left -= rows.length;
    for (const { rule, version } of concerned) {
      const users = found.get(rule) ?? new Map<string, PackageUser>();
      found.set(rule, users);
      for (const { who, versions: used } of rows) if (version in used) users.set(`${who.id} ${who.description}`, who);
    }
  }
  return new Map([...found].map(([rule, users]) => [rule, usersIn([...users.values()])]));
}

/** The rows with the versions that `isAsked` accepts, without those that have none. */
function askedRows(
  rows: readonly UsageRow[],
  isAsked: (version: string, use: VersionUse) => boolean,
): readonly UsageRow[] {
  return rows.flatMap((row) => {
    const asked = Object.entries(row.versions).filter(([version, use]) => isAsked(version, use));
    return asked.length === 0 ? [] : [{ ...row, versions: Object.fromEntries(asked) }];
  });
}

/** The first day with counts of its own. */
function oldestKeptDay(nowMs: number): string {
  return dayBefore(new Date(nowMs).toISOString().slice(0, 10), keptDays - 1);
}

function constraintFilter(text: string | undefined): (version: string) => boolean {
  if (text === undefined || text.trim() === '') return () => true;
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) throw invalidInput({ path: 'constraint', message: parsed.refusal });
  return (label) => {
    const version = normalizeVersion(label);
    return version !== undefined && matches(parsed.constraint, version);
  };
}

/**
 * `isSeen` undefined: the package is not offered here, and the caller sees all packages. Throws NOT_FOUND for a hidden
 * one.
 */
async function seenVersions(
  { catalogue, published, policyAdmin }: UsageServices,
  name: PackageName,
  caller: Caller | Operator,
  nowMs: number,
): Promise<{
  readonly isSeen?: ((version: string) => boolean) | undefined;
  readonly standing: PackageStanding | undefined;
}> {
  const view = caller.kind === 'operator' ? undefined : viewOf(caller);
  const filter = filterOf(view, name);
  const packages = await catalogue.read(nowMs, view);
  if (packages.all.has(name)) {
    const labels = new Set(packages.labelsOf(name));
    const isSeen = filter === 'all' ? () => true : (version: string) => labels.has(version);
    return { isSeen, standing: await policyAdmin.standing(name) };
  }
  // rejects for a damaged package, of which the catalogue knows nothing
  const missing = view === undefined ? undefined : await unknown({ published }, name, view);
  const standing = filter === 'none' ? undefined : await policyAdmin.standing(name);
  if (standing?.origin === 'mirrored') {
    const seen = new Set(standing.versions.flatMap((one) => (passes(filter, one.release) ? [one.version] : [])));
    if (filter === 'all' || seen.size > 0)
      return { isSeen: filter === 'all' ? () => true : (version) => seen.has(version), standing };
  }
  if (missing !== undefined) throw missing;
  return { standing };
}

/** What is known of a version now. */
export async function stateOfVersions(
  { published }: UsageServices,
  name: PackageName,
  standing: PackageStanding | undefined,
): Promise<(version: string) => Pick<UseDocument, 'state' | 'fixed_in'>> {
  const known = new Map(standing?.versions.map((one) => [one.version, one]));
  const purged = new Set(
    (await publishedTombstones(published)).flatMap((row) => (row.name === name ? [row.version] : [])),
  );
  const lost = standing === undefined && purged.size === 0 ? 'unknown' : 'withdrawn';
  return (version) => {
    const found = known.get(version);
    if (found !== undefined) return { state: found.state, fixed_in: found.fixedIn };
    return { state: purged.has(version) ? 'purged' : lost, fixed_in: null };
  };
}

/** The catalogue leaves out damaged packages: reading one rejects with its damage. */
async function unknown(
  { published }: Pick<UsageServices, 'published'>,
  name: PackageName,
  view?: ReturnType<typeof viewOf>,
): Promise<RegistryError> {
  await readPublishedPackage(published, name, view);
  return new RegistryError('NOT_FOUND', { message: `There is no package ${name} here, and no use of it is known.` });
}

/** `from`: the first day that counts; undefined: all. */
function showUse(
  { first, last, installed, days, sum }: VersionUse,
  from: string | undefined,
): Omit<UseDocument, 'token' | 'version' | 'state' | 'fixed_in'> {
  const counted = Object.entries(days).flatMap(([day, uses]) => (from !== undefined && day >= from ? [uses] : []));
  const [downloads, installs] = from === undefined ? sum : counted.reduce<Uses>(addedUses, [0, 0]);
  return { first_used_on: first, last_used_on: last, last_installed_on: installed, downloads, installs };
}

function byLastUse(one: UseDocument, other: UseDocument): number {
  return (
    compareText(other.last_used_on, one.last_used_on) ||
    compareText(nameOf(one), nameOf(other)) ||
    compareText(one.version, other.version)
  );
}

/** Users that the caller may not list come last. */
function nameOf({ token }: UseDocument): string {
  return token === null ? '\uffff' : `${token.description} ${token.id}`;
}

function missing(cutRows: number, rows: readonly UsageRow[]): readonly string[] {
  const cutVersions = rows.reduce((sum, { cut }) => sum + cut, 0);
  return [
    ...(cutRows === 0 ? [] : [`The package has too many users: ${cutRows} who used it longest ago are not shown.`]),
    ...(cutVersions === 0
      ? []
      : [`A token uses too many versions: ${cutVersions} that were used longest ago are not shown.`]),
  ];
}
