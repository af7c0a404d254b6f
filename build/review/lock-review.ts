// Compares two composer.lock files: which packages changed, and what is remarkable about each. An entry of a lock has
// the fields of the package's record, so that this needs no registry; one that is at hand adds what it knows. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.ts';
import { compareNormalized } from '../contract/ordering.ts';
import { parseUrl } from '../contract/parse-url.ts';
import { normalizeVersion } from '../contract/version.ts';
import { compareText } from '../shared/text/compare-text.ts';
import { capabilitiesOf, capabilityKinds, describeCapability, type Capability } from './capabilities.ts';
import { differenceOf } from './gained-capabilities.ts';

/** `changed`: the same version with other bytes, from another place, or with other abilities. */
export type LockChange = 'added' | 'removed' | 'updated' | 'downgraded' | 'changed';

/** From the gravest to the least. */
export const findingKinds = ['malware', 'held', 'advisory', 'changed-bytes', 'dist', ...capabilityKinds] as const;
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** `note`: ordinary; it makes a change not remarkable */
  readonly level: 'error' | 'warning' | 'note';
  /** a clause without a point at its end: `it runs src/boot.php in every request` */
  readonly message: string;
}

export interface ReviewedPackage {
  readonly name: string;
  readonly change: LockChange;
  /** null: added */
  readonly from: string | null;
  /** null: removed */
  readonly to: string | null;
  /** days since the release of `to`; null: removed, or the lock does not say */
  readonly age_days: number | null;
  readonly remarkable: boolean;
  /** the gravest first */
  readonly findings: readonly Finding[];
  /** what it can no longer do */
  readonly lost: readonly string[];
  /** ids of advisories that the old version had, and the new one has not */
  readonly advisories_gone: readonly string[];
}

export interface KnownAdvisory {
  readonly id: string;
  readonly title: string;
}

/** What a registry knows of a version. */
export interface KnownVersion {
  readonly advisories: readonly KnownAdvisory[];
  /** who says that it is malware, and why; null: nobody */
  readonly malware: string | null;
  /** why the policy holds or blocks it; null: it does not */
  readonly held: string | null;
}

/** Of a version by the text in the lock; undefined: the registry does not know it. */
export type KnownOf = (name: string, version: string) => KnownVersion | undefined;

export interface LockToReview {
  /** entries of the lock by their name in lower case */
  readonly packages: ReadonlyMap<string, JsonObject>;
}

/** Remarkable packages first, then by name. A package that is the same in both is left out. */
export function reviewLocks(
  before: LockToReview,
  after: LockToReview,
  { nowMs, knownOf = () => undefined }: { readonly nowMs: number; readonly knownOf?: KnownOf | undefined },
): readonly ReviewedPackage[] {
  const names = new Set([...before.packages.keys(), ...after.packages.keys()]);
  const rows = [...names].flatMap((name) => {
    const [old, now] = [before.packages.get(name), after.packages.get(name)];
    const change = changeOf(old, now);
    if (change === undefined) return [];
    const isNew = (other: string): boolean => !before.packages.has(other) && after.packages.has(other);
    return [reviewed(name, change, { old, now, isNew, nowMs, knownOf })];
  });
  return rows.toSorted(
    (one, other) => Number(other.remarkable) - Number(one.remarkable) || compareText(one.name, other.name),
  );
}

/** undefined: nothing that matters is different. */
export function changeOf(old: JsonObject | undefined, now: JsonObject | undefined): LockChange | undefined {
  if (old === undefined || now === undefined) return old === undefined ? 'added' : 'removed';
  const [from, to] = [versionOf(old), versionOf(now)];
  const [lower, higher] = [normalizeVersion(from), normalizeVersion(to)];
  if (from !== to && lower !== higher)
    return lower !== undefined && higher !== undefined && compareNormalized(lower, higher) > 0
      ? 'downgraded'
      : 'updated';
  if (placesOf(old) === placesOf(now) && !gains(old, now)) return undefined;
  return isDev(to) && placeOfDist(old) === placeOfDist(now) ? 'updated' : 'changed';
}

interface Compared {
  readonly old: JsonObject | undefined;
  readonly now: JsonObject | undefined;
  /** true: only the new lock has this package */
  readonly isNew: (name: string) => boolean;
  readonly nowMs: number;
  readonly knownOf: KnownOf;
}

function reviewed(name: string, change: LockChange, compared: Compared): ReviewedPackage {
  const { old, now, nowMs } = compared;
  const known = (entry: JsonObject | undefined): KnownVersion | undefined =>
    entry === undefined ? undefined : compared.knownOf(name, versionOf(entry));
  const [knownBefore, knownNow] = [known(old), known(now)];
  const difference = differenceOf(abilitiesOf(old), abilitiesOf(now));
  const findings = [
    ...knownFindings(knownBefore, knownNow),
    ...placeFindings(change, old, now),
    ...(now === undefined ? [] : difference.gained.map((one) => gainedFinding(one, old === undefined, compared.isNew))),
  ].toSorted((one, other) => findingKinds.indexOf(one.kind) - findingKinds.indexOf(other.kind));
  const still = new Set(knownNow?.advisories.map(({ id }) => id));
  return {
    name,
    change,
    from: old === undefined ? null : versionOf(old),
    to: now === undefined ? null : versionOf(now),
    age_days: now === undefined ? null : ageOf(now, nowMs),
    remarkable: findings.some(({ level }) => level !== 'note'),
    findings,
    lost: old === undefined || now === undefined ? [] : difference.lost.map(describeCapability),
    advisories_gone: (knownBefore?.advisories ?? []).map(({ id }) => id).filter((id) => !still.has(id)),
  };
}

function knownFindings(before: KnownVersion | undefined, now: KnownVersion | undefined): readonly Finding[] {
  if (now === undefined) return [];
  const had = new Set(before?.advisories.map(({ id }) => id));
  const advisories = now.advisories.map(({ id, title }): Finding =>
    had.has(id)
      ? { kind: 'advisory', level: 'note', message: `it keeps the advisory ${id}: ${title}` }
      : { kind: 'advisory', level: 'error', message: `it has the advisory ${id}: ${title}` },
  );
  const rest: Finding[] = [];
  if (now.malware !== null) rest.push({ kind: 'malware', level: 'error', message: `it is malware: ${now.malware}` });
  if (now.held !== null) rest.push({ kind: 'held', level: 'error', message: `the policy refuses it: ${now.held}` });
  return [...rest, ...advisories];
}

function placeFindings(change: LockChange, old?: JsonObject, now?: JsonObject): readonly Finding[] {
  if (old === undefined || now === undefined) return [];
  const found: Finding[] = [];
  const [from, to] = [placeOfDist(old), placeOfDist(now)];
  if (change === 'changed' && bytesOf(old) !== bytesOf(now))
    found.push({ kind: 'changed-bytes', level: 'error', message: 'the same version has other bytes' });
  if (from !== to)
    found.push({
      kind: 'dist',
      level: to === theRegistry ? 'note' : 'warning',
      message: `its archive comes from ${to ?? 'its source alone'}, and came from ${from ?? 'its source alone'}`,
    });
  else if (change === 'changed' && found.length === 0 && placesOf(old) !== placesOf(now))
    found.push({ kind: 'dist', level: 'warning', message: 'its archive or source has another address' });
  return found;
}

/** A new package has all its abilities anew; only a plugin is remarkable by itself, since it runs during the install. */
function gainedFinding(capability: Capability, isAdded: boolean, isNew: Compared['isNew']): Finding {
  const { kind, detail } = capability;
  const message = describeCapability(capability);
  if (isAdded) return { kind, level: kind === 'plugin' ? 'warning' : 'note', message };
  if (kind !== 'dependency') return { kind, level: kind === 'author' ? 'note' : 'warning', message };
  return isNew(detail)
    ? { kind, level: 'warning', message: `${message}, which is new to the project` }
    : { kind, level: 'note', message };
}

function abilitiesOf(entry: JsonObject | undefined): readonly Capability[] {
  return entry === undefined ? [] : capabilitiesOf(entry);
}

function gains(old: JsonObject, now: JsonObject): boolean {
  return differenceOf(capabilitiesOf(old), capabilitiesOf(now)).gained.length > 0;
}

function versionOf({ version }: JsonObject): string {
  return String(version);
}

function isDev(version: string): boolean {
  return /^dev-|-dev$/i.test(version);
}

/** Where Composer gets the bytes from, in full, and what it compares them with. */
function placesOf(entry: JsonObject): string {
  const [dist, source] = [fieldsOf(entry['dist']), fieldsOf(entry['source'])];
  return JSON.stringify([bytesOf(entry), dist['url'], dist['mirrors'], source['url'], source['mirrors']]);
}

function bytesOf(entry: JsonObject): string {
  const [dist, source] = [fieldsOf(entry['dist']), fieldsOf(entry['source'])];
  return JSON.stringify([dist['reference'] ?? '', dist['shasum'] ?? '', source['reference'] ?? '']);
}

/** Composer takes `/dist/…` from the registry that the project names: such an address leads to no other host. */
const theRegistry = 'the registry of the project';

/** The host; of an archive that GitHub packs, also the repository. undefined: there is no archive. */
function placeOfDist(entry: JsonObject): string | undefined {
  const { url } = fieldsOf(entry['dist']);
  if (typeof url !== 'string' || url === '') return undefined;
  if (url.startsWith('/dist/')) return theRegistry;
  const parsed = parseUrl(url);
  if (parsed === undefined || parsed.host === '') return 'a path of this machine';
  return `${parsed.host}${/^\/repos\/[^/]+\/[^/]+/.exec(parsed.pathname.toLowerCase())?.[0] ?? ''}`;
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function ageOf({ time }: JsonObject, nowMs: number): number | null {
  const released = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(released) ? null : Math.max(0, Math.floor((nowMs - released) / 86_400_000));
}
