// Answers which versions with an advisory this registry has, its own and mirrored ones, and who used them last. A caller
// learns only of versions that they see, and of tokens that they may list.

import { compareText } from '../../build/shared/text/compare-text.ts';
import { viewOf, type Caller, type Operator } from '../auth/caller.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import type { Exposures } from '../policy/admin/package-standing.ts';
import { describeUsers } from './describe-users.ts';
import { readCounting } from './expired-uses.ts';
import type { ExposureDocument, ExposuresDocument } from './usage-schema.ts';
import { readRows, usersIn, type UsageServices } from './read-usage.ts';
import type { UsageRow } from './usage-row.ts';

type Exposed = Exposures['versions'][number];

const mostListed = 1000;

interface Call {
  readonly caller: Caller | Operator;
  readonly nowMs: number;
}

/** The malware that no rule of the policy refuses, as far as it is known within a moment; undefined: it is unknown. */
export async function readMalware(services: UsageServices, call: Call): Promise<ExposuresDocument['data'] | undefined> {
  const versions = malwareIn(await services.policyAdmin.exposuresSoon());
  return versions && (await readExposures(services, call, { versions, unread: [] })).data;
}

function malwareIn(found: Exposures | undefined): readonly Exposed[] | undefined {
  return found?.versions.filter(({ refused, concerns }) => !refused && concerns.some((one) => one.isMalware));
}

export interface WithMalware {
  /** its versions that are malware, and that no rule refuses */
  readonly malware?: readonly Exposed[] | undefined;
}

/** The same by package, as the view cuts it. Once something is known, this waits no longer than a page may. */
export async function malwareByPackage(
  { policyAdmin }: Pick<UsageServices, 'policyAdmin'>,
  view: View | undefined,
): Promise<ReadonlyMap<string, readonly Exposed[]>> {
  const found = new Map<string, Exposed[]>();
  for (const one of malwareIn(await policyAdmin.exposuresSoon(10)) ?? [])
    if (passes(filterOf(view, one.name), one.release)) found.set(one.name, [...(found.get(one.name) ?? []), one]);
  return found;
}

/** `known`: these alone. */
export async function readExposures(
  services: UsageServices,
  { caller, nowMs }: Call,
  known?: Exposures,
): Promise<ExposuresDocument> {
  const view = caller.kind === 'operator' ? undefined : viewOf(caller);
  const { versions, unread } = known ?? (await services.policyAdmin.exposures());
  const seen = versions.filter(({ name, release }) => passes(filterOf(view, name), release));
  await services.tokenCounts?.settle();
  const rows = new Map<string, readonly UsageRow[]>();
  for (const { name } of seen) if (!rows.has(name)) rows.set(name, await readRows(services, name));
  const found = seen.map((one) => withUses(one, rows.get(one.name) ?? [])).toSorted(byUrgency);
  const shown = found.slice(0, mostListed);
  const used = [...new Set(shown.flatMap(({ by }) => by ?? []))];
  const described = await describeUsers(services.state, used, { caller, nowMs });
  return {
    data: shown.map(({ by, ...document }) => ({
      ...document,
      last_used_by: (by === undefined ? undefined : described[used.indexOf(by)]) ?? null,
    })),
    left_out: found.length - shown.length,
    // a damaged package may hide that it is none of theirs
    unread: view === undefined ? [...unread] : unread.filter((name) => filterOf(view, name) === 'all'),
    counted_since: (await readCounting(services.state))?.since ?? null,
  };
}

interface Used extends Omit<ExposureDocument, 'last_used_by'> {
  readonly by: UsageRow['who'] | undefined;
}

function withUses(
  { name, origin, version, state, refused, concerns, fixedIn }: Exposed,
  rows: readonly UsageRow[],
): Used {
  const uses = rows.flatMap(({ who, versions }) => {
    const use = versions[version];
    return use === undefined ? [] : [{ who, last: use.last }];
  });
  const [last] = uses.toSorted((one, other) => compareText(other.last, one.last));
  return {
    package: name,
    origin,
    version,
    state,
    malware: concerns.some(({ isMalware }) => isMalware),
    refused,
    advisories: concerns.map(({ id, title, severity }) => ({ id, title, severity })),
    fixed_in: fixedIn,
    ...usersIn(uses.map(({ who }) => who)),
    last_used_on: last?.last ?? null,
    by: last?.who,
  };
}

function byUrgency(one: Used, other: Used): number {
  return (
    Number(other.malware) - Number(one.malware) ||
    compareText(other.last_used_on ?? '', one.last_used_on ?? '') ||
    compareText(one.package, other.package) ||
    compareText(one.version, other.version)
  );
}
