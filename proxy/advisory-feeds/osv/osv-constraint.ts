// Turns the affected versions of an OSV advisory into one constraint of Composer. The rules are those of the OSV
// schema, "Evaluation": a version is affected if a range contains it, or if the list names it. Bounds are read as
// Composer reads them, so that `fixed: 1.2.3` is `<1.2.3`. Pure.

import { matches, parseConstraint } from '../../../build/contract/constraint.ts';
import type { Constraint } from '../../../build/contract/constraint-model.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { phpVersionCompare } from '../../../build/contract/php-version-compare.ts';
import { normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';

/** The constraint, or why there is none, in a few words. */
export type Converted = { readonly constraint: string } | { readonly refusal: string };

/** Longer ones would take too much time and memory. The longest real ones have some hundred characters. */
export const longestConstraint = 16_384;
const mostEvents = 1000;
const mostVersions = 20_000;

/** `affected`: the entries of the advisory about one package. */
export function constraintOf(affected: readonly JsonObject[]): Converted {
  const intervals = new Set<string>();
  let refusal: string | undefined;
  for (const range of affected.flatMap(({ ranges }) => elementsOf(ranges))) {
    const converted = intervalsOf(range);
    if ('refusal' in converted) refusal ??= converted.refusal;
    else for (const interval of converted.intervals) intervals.add(interval);
  }
  const listed = affected.flatMap(({ versions }) => elementsOf(versions));
  if (listed.length > mostVersions) return { refusal: `it names more than ${mostVersions} versions` };
  const named = versionsOutside(listed, [...intervals].join(' || '));
  const constraint = [...intervals, ...named].join(' || ');
  // a range that cannot be read is listed as versions, too: OSV asks for that
  if (constraint === '') return { refusal: refusal ?? 'it names no version that is affected' };
  if (constraint.length > longestConstraint)
    return { refusal: `its constraint would have more than ${longestConstraint} characters` };
  const parsed = parseConstraint(constraint);
  return 'refusal' in parsed ? parsed : { constraint };
}

/** The listed versions that the ranges do not contain, such as branches. Texts that are no versions are left out. */
function versionsOutside(listed: readonly JsonValue[], ranges: string): readonly string[] {
  const parsed = ranges === '' ? undefined : parseConstraint(ranges);
  const covered: Constraint | undefined =
    parsed !== undefined && 'constraint' in parsed ? parsed.constraint : undefined;
  const outside = new Set<string>();
  for (const text of listed) {
    const version = typeof text === 'string' ? versionOf(text) : undefined;
    if (version !== undefined && (covered === undefined || !matches(covered, version))) outside.add(version);
  }
  return [...outside];
}

type Kind = 'introduced' | 'fixed' | 'last_affected' | 'limit';
interface Event {
  readonly kind: Kind;
  readonly text: string;
  /** undefined: before or behind all versions */
  readonly version: NormalizedVersion | undefined;
}
type Intervals = { readonly intervals: readonly string[] } | { readonly refusal: string };

function intervalsOf(range: JsonValue): Intervals {
  const { type, events } = isJsonObject(range) ? range : {};
  if (type === 'GIT') return { refusal: 'it names commits, and no versions' };
  if (type !== 'ECOSYSTEM' && type !== 'SEMVER') return { refusal: 'it has a range of an unknown type' };
  const given = elementsOf(events);
  if (given.length > mostEvents) return { refusal: `a range has more than ${mostEvents} events` };
  const read = given.map(eventsOf);
  const known = read.flatMap((one) => one ?? []);
  if (read.includes(undefined)) return { refusal: 'a range has a bound that is no version' };
  if (!known.some(({ kind }) => kind === 'introduced')) return { refusal: 'a range does not say where it begins' };
  const limit = limitOf(known.filter(({ kind }) => kind === 'limit'));
  return { intervals: timeline(known).map((interval) => withLimit(interval, limit)) };
}

const kinds: readonly Kind[] = ['introduced', 'fixed', 'last_affected', 'limit'];

/** undefined: a bound is no version, or there is none. */
function eventsOf(event: JsonValue): readonly Event[] | undefined {
  if (!isJsonObject(event)) return undefined;
  const found: Event[] = [];
  for (const kind of kinds) {
    const text = event[kind];
    if (text === undefined) continue;
    const isEndless = (kind === 'introduced' && text === '0') || (kind === 'limit' && text === '*');
    const version = typeof text === 'string' && !isEndless ? versionOf(text) : undefined;
    if (typeof text !== 'string' || (version === undefined && !isEndless)) return undefined;
    if (version?.startsWith('dev-') === true) return undefined; // branches have no order
    found.push({ kind, text, version });
  }
  return found.length === 0 ? undefined : found;
}

/** The affected stretches, from the lowest version to the highest. */
function timeline(events: readonly Event[]): readonly string[] {
  const order: Readonly<Record<Kind, number>> = { introduced: 0, fixed: 0, last_affected: 1, limit: 2 };
  const sorted = events
    .filter(({ kind }) => kind !== 'limit')
    .toSorted((one, other) => compareBounds(one, other) || order[one.kind] - order[other.kind]);
  const stretches: string[] = [];
  let open: Event | undefined;
  for (const event of sorted) {
    if (event.kind === 'introduced') open ??= event;
    else if (open !== undefined) {
      const isEmpty = event.kind === 'fixed' && compareBounds(open, event) === 0;
      if (!isEmpty) stretches.push(stretch(open, `${event.kind === 'fixed' ? '<' : '<='}${bound(event)}`));
      open = undefined;
    }
  }
  if (open !== undefined) stretches.push(stretch(open, ''));
  return stretches;
}

function stretch(from: Event, until: string): string {
  const lower = from.version === undefined ? '' : `>=${bound(from)}`;
  return [lower, until].filter((part) => part !== '').join(',') || '*';
}

/** A version counts if it is below any of the limits. undefined: there is no limit. */
function limitOf(limits: readonly Event[]): Event | undefined {
  if (limits.some(({ version }) => version === undefined)) return undefined;
  return limits.toSorted(compareBounds).at(-1);
}

function withLimit(interval: string, limit: Event | undefined): string {
  if (limit === undefined) return interval;
  return interval === '*' ? `<${bound(limit)}` : `${interval},<${bound(limit)}`;
}

function compareBounds(one: Event, other: Event): number {
  if (one.version === undefined || other.version === undefined)
    return Number(one.version !== undefined) - Number(other.version !== undefined);
  return phpVersionCompare(one.version, other.version);
}

/** As the advisory writes it: people read it. */
function bound({ text }: Event): string {
  return text.trim();
}

/** Only texts that mean in a constraint what they mean alone. */
function versionOf(text: string): NormalizedVersion | undefined {
  return /^[\w.+/-]{1,100}$/.test(text.trim()) ? normalizeVersion(text) : undefined;
}

function elementsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
