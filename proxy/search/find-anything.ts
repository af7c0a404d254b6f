// Finds what one looks for by name: packages, versions, tokens, people and settings, as far as the caller may know each
// of them. Where nothing has the words, names that differ by a slip count.

import { parsePackageName } from '../../build/contract/name.ts';
import { decideFor, viewOf } from '../auth/caller.ts';
import { createCallerTokens, type CallerTokensOptions } from '../auth/caller-tokens.ts';
import type { OperationId } from '../auth/permissions.ts';
import { readUsers } from '../auth/user-records.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import type { MirroredCatalogue } from '../mirror/mirrored-catalogue.ts';
import type { Catalogue } from '../packages/catalogue.ts';
import type { PolicyAdmin } from '../policy/admin/policy-admin.ts';
import { readPublishedPackage } from '../packages/published-package.ts';
import { rankPackages } from '../packages/rank-packages.ts';
import type { Searched } from '../packages/search-packages.ts';
import { similarParts } from '../packages/similar-names.ts';
import type { Call } from '../registry/operation.ts';
import { settingKeys } from '../settings/definitions.ts';
import { labelOf } from '../settings/setting-groups.ts';

export interface SearchServices extends CallerTokensOptions {
  readonly catalogue: Catalogue;
  readonly state: Pick<StateStore, 'range'>;
  readonly policyAdmin: PolicyAdmin;
  /** undefined: mirroring is off */
  readonly mirrored: MirroredCatalogue | undefined;
}

export const foundKinds = ['package', 'version', 'token', 'person', 'setting'] as const;

export interface Found<Kind = (typeof foundKinds)[number]> {
  readonly kind: Kind;
  /** a package, a version, a key, or an id */
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

interface Entry<One> extends Searched {
  readonly found: One;
}

type Asking = Pick<Call, 'caller' | 'nowMs'>;

/** Own packages, mirrored ones, and entries of each other kind. */
export const mostOfKind = 8;
const mostVersions = 3;
/** A search finds no more, in all. */
export const mostFound = mostOfKind * (foundKinds.length + 2 * mostVersions);
export const mostText = 200;
/** `1.2`, `v2`, `dev-main` */
const versionWord = /^(?:v?\d[\w.-]*|dev-\S+)$/i;

/** The id of an advisory, or its beginning. */
const advisoryWord = /^(?:CVE|GHSA|PKSA|MAL)-[\w-]+$/i;

/** The packages with stored versions that an advisory is about. */
async function affectedBy({ policyAdmin }: SearchServices, view: View | undefined, id: string): Promise<Found[]> {
  const known = await policyAdmin.exposuresSoon();
  const found = new Map<string, Found>();
  for (const { name, release, concerns } of [...(known?.versions ?? []), ...(known?.offered ?? [])]) {
    const concern = concerns.find(({ ids }) => ids.some((one) => one.toLowerCase().startsWith(id.toLowerCase())));
    if (concern !== undefined && passes(filterOf(view, name), release))
      found.set(name, { kind: 'package', id: name, name, detail: concern.title });
  }
  return [...found.values()].slice(0, mostOfKind);
}

/**
 * Packages with the advisory that is named; else first the version that is asked for, then packages with versions,
 * `others`, tokens, people, settings.
 */
export async function findAnything<Other extends Found<string> = never>(
  services: SearchServices,
  asking: Asking,
  text: string,
  others: readonly Other[] = [],
): Promise<readonly (Found | Other)[]> {
  const words = text.slice(0, mostText).split(/\s+/);
  const wanted = words.find((word) => versionWord.test(word));
  const ofPackages = words.filter((word) => word !== wanted).join(' ') || words.join(' ');
  const view = asking.caller.kind === 'operator' ? undefined : viewOf(asking.caller);
  const affected = advisoryWord.test(text) ? await affectedBy(services, view, text) : [];
  if (affected.length > 0) return affected;
  const [{ all }, mirrored = new Map(), entries] = await Promise.all([
    services.catalogue.read(asking.nowMs, view),
    services.mirrored?.read(asking.nowMs, view),
    readEntries(services, asking),
  ]);
  const packages: readonly (readonly Searched[])[] = [[...all.values()], [...mirrored.values()]];
  const kinds = [...packages, others.map(entryOf), ...entries];
  const best = await Promise.all(
    kinds.map((some, at) => {
      const asked = at < packages.length ? ofPackages : words.join(' ');
      return rankPackages(some, { words: asked, type: undefined, best: mostOfKind }, () => 0);
    }),
  );
  const fitting = best.flatMap((ranked) => ranked.best);
  const textOf = (one: Searched): string => ('found' in one ? one.text : one.name);
  const shown = fitting.length > 0 ? fitting : await similarParts(kinds.flat(), ofPackages, mostOfKind, textOf);
  const rows = shown.map(async (one): Promise<readonly (Found | Other)[]> => {
    if ('found' in one) return [(one as Entry<Found | Other>).found];
    const { name, description } = one;
    const found = { kind: 'package', id: name, name, detail: description ?? '' } as const;
    return wanted === undefined ? [found] : [found, ...(await versionsOf(services, view, name, wanted))];
  });
  return versionFirst((await Promise.all(rows)).flat(), wanted);
}

function versionFirst<One extends Found<string>>(found: readonly One[], wanted = ''): readonly One[] {
  const versions = found.filter(({ kind }) => kind === 'version');
  const first = versions.find(({ id }) => bare(id) === bare(wanted)) ?? versions[0];
  return first === undefined ? found : [first, ...found.filter((one) => one !== first)];
}

function bare(version: string): string {
  return version.replace(/^v(?=\d)/i, '').toLowerCase();
}

/** The version `wanted`, and the newest that begin with it. */
async function versionsOf(
  { published }: SearchServices,
  view: View | undefined,
  text: string,
  wanted: string,
): Promise<readonly Found[]> {
  const name = parsePackageName(text);
  if (name === undefined) return [];
  return (await readPublishedPackage(published, name, view))
    .map(({ entry: { version } }) => version)
    .filter((version) => bare(version).startsWith(bare(wanted)))
    .toSorted((one, other) => Number(bare(other) === bare(wanted)) - Number(bare(one) === bare(wanted)))
    .slice(0, mostVersions)
    .map((version) => ({ kind: 'version', id: version, name, detail: '' }));
}

/** Tokens, people and settings that this caller may read. */
async function readEntries(services: SearchServices, { caller }: Asking): Promise<readonly Entry<Found>[][]> {
  const may = (operation: OperationId): boolean =>
    caller.kind === 'operator' || decideFor(operation, caller) === 'allowed';
  const tokens = may('listTokens') ? await createCallerTokens(services, caller).list() : [];
  const people = may('listUsers') ? await readUsers(services.state) : [];
  const settings = may('updateSettings') ? settingKeys : [];
  const found = (kind: Found['kind'], id: string, name: string, detail: string): Found => ({ kind, id, name, detail });
  return [
    tokens.map(({ id, description }) => entryOf(found('token', id, description, ''))),
    people.map(({ id, email, name, role }) => entryOf(found('person', id, email, `${name ?? ''} ${role}`.trim()))),
    settings.map((key) => entryOf(found('setting', key, labelOf(key), key))),
  ];
}

function entryOf<One extends Found<string>>(found: One): Entry<One> {
  const name = found.name.toLowerCase();
  return { found, name, text: `${name}\n${found.detail.toLowerCase()}`, type: '', keywords: [], abandoned: false };
}
