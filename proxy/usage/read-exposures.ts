// Answers which versions with an advisory this registry has, its own and mirrored ones, and who used them last. A caller
// learns only of versions that they see, and of tokens that they may list.

import { compareText } from '../../build/shared/text/compare-text.ts';
import { viewOf, type Caller, type Operator } from '../auth/caller.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import type { Exposures } from '../policy/admin/package-standing.ts';
import { severities } from '../policy/model/words.ts';
import { describeUsers } from './describe-users.ts';
import { readCounting } from './expired-uses.ts';
import type { z } from 'zod';
import type { ExposureDocument, exposureFilter, ExposuresDocument } from './usage-schema.ts';
import type { UsageServices } from './read-usage.ts';
import { countVersions, parseUsageRow, rowsIn, usedKey, usedRowsKey, type VersionSums } from './usage-row.ts';

type Exposed = Exposures['versions'][number];

const mostListed = 1000;

interface Call {
  readonly caller: Caller | Operator;
  readonly nowMs: number;
}

/** The malware that no rule of the policy refuses, as far as it is known within a moment; undefined: it is unknown. */
export async function readMalware(services: UsageServices, call: Call): Promise<ExposuresDocument['data'] | undefined> {
  const known = await services.policyAdmin.exposuresSoon();
  const versions = malwareAmong(known?.versions.filter(({ refused }) => !refused)) ?? [];
  return known && (await readExposures(services, call, {}, { versions, offered: [], unread: [] })).data;
}

export interface WithMalware {
  /** its versions that are malware, also those that a rule refuses */
  readonly malware?: readonly Exposed[] | undefined;
}

/** By package, as the view cuts it. While something recent is known, this waits no longer than a page may. */
export async function exposedByPackage(
  { policyAdmin }: Pick<UsageServices, 'policyAdmin'>,
  view: View | undefined,
): Promise<ReadonlyMap<string, readonly Exposed[]>> {
  const found = new Map<string, Exposed[]>();
  const known = await policyAdmin.exposuresSoon(10);
  for (const one of [...(known?.versions ?? []), ...(known?.offered ?? [])])
    if (passes(filterOf(view, one.name), one.release)) found.set(one.name, [...(found.get(one.name) ?? []), one]);
  return found;
}

/** undefined: none of them is. */
export function malwareAmong<Known extends Pick<Exposed, 'concerns'>>(
  exposed: readonly Known[] = [],
): readonly Known[] | undefined {
  const found = exposed.filter(({ concerns }) => concerns.some(({ isMalware }) => isMalware));
  return found.length > 0 ? found : undefined;
}

export async function malwareByPackage(
  ...asked: Parameters<typeof exposedByPackage>
): Promise<ReadonlyMap<string, readonly Exposed[]>> {
  const all = [...(await exposedByPackage(...asked))];
  return new Map(
    all.flatMap(([name, exposed]) => {
      const malware = malwareAmong(exposed);
      return malware ? [[name, malware] as const] : [];
    }),
  );
}

/** `known`: these alone. */
export async function readExposures(
  services: UsageServices,
  { caller, nowMs }: Call,
  { origin, severity }: z.output<typeof exposureFilter> = {},
  known?: Exposures,
): Promise<ExposuresDocument> {
  const view = caller.kind === 'operator' ? undefined : viewOf(caller);
  const { versions, unread } = known ?? (await services.policyAdmin.exposures());
  const seen = versions.filter(({ name, release }) => passes(filterOf(view, name), release));
  await services.tokenCounts?.settle();
  const { state } = services;
  const sums = new Map<string, VersionSums>();
  for (const { name } of seen)
    if (!sums.has(name))
      sums.set(name, rowsIn(await state.get(usedRowsKey(name))).versions ?? (await countVersions(state, name)));
  const least = severity === undefined ? 0 : severities.indexOf(severity) + 1;
  const found = seen
    .map((one) => withUses(one, sums.get(one.name)?.[one.version]))
    .filter((one) => (origin === undefined || one.origin === origin) && (rankOf(one) || severities.length) >= least)
    .toSorted(byUrgency);
  const shown = found.slice(0, mostListed);
  const rows = await Promise.all(
    shown.map(async ({ package: name, by }) => parseUsageRow((await state.get(usedKey(name, by)))?.value)),
  );
  const used = rows.flatMap((row) => row?.who ?? []);
  const described = await describeUsers(state, used, { caller, nowMs });
  return {
    data: shown.map(({ by: _by, ...document }, at) => {
      const who = rows[at]?.who;
      return { ...document, last_used_by: (who && described[used.indexOf(who)]) ?? null };
    }),
    left_out: found.length - shown.length,
    // a damaged package may hide that it is none of theirs
    unread: view === undefined ? [...unread] : unread.filter((name) => filterOf(view, name) === 'all'),
    counted_since: (await readCounting(state))?.since ?? null,
  };
}

interface Used extends Omit<ExposureDocument, 'last_used_by'> {
  /** the key of who used it last */
  readonly by: string;
}

function withUses(
  { name, origin, version, state, refused, concerns, fixedIn }: Exposed,
  [tokens, projects, last, by]: VersionSums[string] = [0, 0, '', ''],
): Used {
  return {
    package: name,
    origin,
    version,
    state,
    malware: concerns.some(({ isMalware }) => isMalware),
    refused,
    advisories: concerns.map(({ id, title, severity }) => ({ id, title, severity })),
    fixed_in: fixedIn,
    tokens,
    projects,
    last_used_on: last === '' ? null : last,
    by,
  };
}

/** 0: unknown. */
function rankOf({ malware, advisories }: Used): number {
  const ranks = advisories.map((one) => severities.findIndex((severity) => severity === one.severity) + 1);
  return malware ? severities.length + 1 : Math.max(0, ...ranks);
}

function byUrgency(one: Used, other: Used): number {
  return (
    rankOf(other) - rankOf(one) ||
    other.tokens + other.projects - one.tokens - one.projects ||
    compareText(other.last_used_on ?? '', one.last_used_on ?? '') ||
    compareText(one.package, other.package) ||
    compareText(one.version, other.version)
  );
}
