// The events of publications: what each one published and withdrew, derived from the records that builds write. A
// cursor in the state says how far they were handed over. Ids follow from the publication, the name and the version, so
// that they are the same on every host and after a restart.

import type { JsonObject } from '../../../build/contract/json.ts';
import { eventId, type EventType, type RegistryEvent } from '../../events/registry-event.ts';
import type {
  PublicationChanges,
  Publications,
  RecordedPublication,
  ChangedPackage,
  ChangedVersion,
} from '../../inspection/publications.ts';
import { listEndpoints } from '../model/endpoint.ts';
import { chunksOf, commitEvents, cursorPrefix, numberIn, type Collecting, type CursorRow } from './collecting.ts';
import { collectNew, type Noticed } from './known-set.ts';
import type { PackageFactsReader } from './package-facts.ts';
import { parseStability } from '../../../build/contract/stability.ts';
import type { HeldRelease } from '../../policy/admin/held-in-package.ts';
import type { HeldList } from '../../policy/admin/held-list.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';

interface EventVersionFacts {
  /** epoch milliseconds; undefined: unknown */
  readonly releasedMs: (version: string, reference: string) => number | undefined;
  /** the page of the package; null: none is known */
  readonly page: string | null;
}

type Publication = Pick<RecordedPublication, 'serial' | 'published_at' | 'rollback_to'>;
type VersionEventType = 'package.version.published' | 'package.version.withdrawn';

/** The events of one package in one publication. Pure. */
function versionEvents(
  publication: Publication,
  { name, added, changed, withdrawn }: ChangedPackage,
  facts: EventVersionFacts,
): readonly RegistryEvent[] {
  const event = (type: VersionEventType, line: ChangedVersion, more: JsonObject): RegistryEvent =>
    versionEvent(publication, { type, name, line, more }, facts);
  return [
    ...withdrawn.map((line) => event('package.version.withdrawn', line, {})),
    ...changed.map((line) =>
      event('package.version.published', line, { change: 'changed', previous_reference: line.was.reference }),
    ),
    ...added.map((line) => event('package.version.published', line, { change: 'added', previous_reference: null })),
  ];
}

interface ChangedLine {
  readonly type: VersionEventType;
  readonly name: string;
  readonly line: ChangedVersion;
  readonly more: JsonObject;
}

function versionEvent(
  { serial, published_at: at, rollback_to }: Publication,
  { type, name, line: { version, reference }, more }: ChangedLine,
  { releasedMs, page }: EventVersionFacts,
): RegistryEvent {
  const normalized = normalizeVersion(version) ?? version;
  return {
    id: eventId(type, serial, at, name, version),
    type,
    at,
    data: {
      package: name,
      version,
      stability: parseStability(normalized),
      reference,
      ...more,
      publication: { serial, published_at: at, rollback_to },
      url: page,
    },
    subject: { name, version_normalized: normalized, released_ms: releasedMs(version, reference) ?? null },
  };
}

export interface PublicationParts extends Collecting {
  readonly publications: Pick<Publications, 'list' | 'get'>;
  readonly facts: PackageFactsReader;
  /** the releases that the policy holds; `only`: of these packages */
  readonly held: (only?: readonly string[]) => Promise<HeldList>;
  /** the page of a package in the console; `staged`: of a version that only those see who decide; null: unknown */
  readonly pageOf: (name: string, staged?: string) => string | null;
}

export const publicationCursorKey = `${cursorPrefix}publications`;
const packagesAtOnce = 100;
const publicationsAtOnce = 100;

/** `done`: all publications up to this serial. `from` and `events`: of the next one, its packages and their events. */
interface Cursor {
  readonly done: number;
  readonly from: number;
  readonly events: number;
}

/** Hands over the events of all publications behind the cursor, oldest first. False: another process was faster. */
export async function collectPublications(parts: PublicationParts): Promise<boolean> {
  for (;;) {
    const entry = await parts.state.get(publicationCursorKey);
    const cursor = entry === undefined ? undefined : parseCursor(entry.value);
    const row = { key: publicationCursorKey, revision: entry?.revision ?? null };
    if (cursor === undefined) {
      const start = { done: await firstDone(parts), from: 0, events: 0 };
      // before the first publication that is looked at, no package counts as abandoned
      await collectNew(parts, 'abandoned', []);
      if (!(await commitEvents(parts, [], row, start))) return false;
      continue;
    }
    if (!(await isHeard(parts))) return skipAll(parts, cursor, row);
    const next = await nextPublication(parts, cursor.done);
    if (next === undefined) return true;
    // the state is newer than the tree, as after a restore: the records begin anew
    const isReset = next === 'reset';
    if (isReset && !(await commitEvents(parts, [], row, { done: await presentSerial(parts), from: 0, events: 0 })))
      return false;
    if (!isReset && !(await collectPage(parts, next, cursor, row.revision))) return false;
  }
}

const publicationTypes: readonly EventType[] = [
  'package.version.published',
  'package.version.withdrawn',
  'package.abandoned',
];

/** True if an endpoint is notified of publications: reading the records of thousands of packages is work. */
async function isHeard({ state }: PublicationParts): Promise<boolean> {
  const endpoints = await listEndpoints(state);
  return endpoints.some(
    ({ disabled, events }) => disabled === null && events.some((type) => publicationTypes.includes(type)),
  );
}

/** An endpoint that is made from now on is notified of later publications. */
async function skipAll(parts: PublicationParts, { done }: Cursor, row: CursorRow): Promise<boolean> {
  const present = await presentSerial(parts);
  return present === done || commitEvents(parts, [], row, { done: present, from: 0, events: 0 });
}

function parseCursor(value: Parameters<typeof numberIn>[0]): Cursor | undefined {
  const [done, from, events] = [numberIn(value, 'done'), numberIn(value, 'from'), numberIn(value, 'events')];
  return done === undefined || from === undefined || events === undefined ? undefined : { done, from, events };
}

/** Before the first look: publications from before the first endpoint are not told. */
async function firstDone(parts: PublicationParts): Promise<number> {
  const [first] = await listEndpoints(parts.state);
  let before: number | undefined;
  for (;;) {
    const { publications, next } = await parts.publications.list({ limit: publicationsAtOnce, before });
    const old =
      first === undefined ? publications[0] : publications.find(({ published_at: at }) => at < first.created_at);
    if (old !== undefined) return old.serial;
    const last = publications.at(-1);
    if (next === null) return last?.previous ?? 0;
    before = next;
  }
}

async function presentSerial({ publications }: PublicationParts): Promise<number> {
  return (await publications.list({ limit: 1 })).publications[0]?.serial ?? 0;
}

/** The oldest recorded publication after `done`; undefined: there is none. `reset`: `done` is in the future. */
async function nextPublication(
  { publications }: PublicationParts,
  done: number,
): Promise<RecordedPublication | 'reset' | undefined> {
  let oldest: RecordedPublication | undefined;
  let before: number | undefined;
  for (;;) {
    const page = await publications.list({ limit: publicationsAtOnce, before });
    for (const summary of page.publications) {
      if (summary.serial < done && oldest === undefined) return 'reset';
      if (summary.serial <= done) return oldest;
      oldest = summary;
      if (summary.previous <= done) return oldest;
    }
    if (page.next === null) return oldest;
    before = page.next;
  }
}

async function collectPage(
  parts: PublicationParts,
  { serial }: RecordedPublication,
  cursor: Cursor,
  revision: number | null,
): Promise<boolean> {
  const changes = await parts.publications.get(serial, { from: cursor.from, limit: packagesAtOnce });
  // before the cursor moves on, so that a kill in between loses none
  if (cursor.events === 0) await collectAbandoned(parts, changes);
  const events = await eventsOf(parts, changes);
  const rest = events.slice(cursor.events);
  const [chunk = []] = chunksOf(rest);
  const isWhole = chunk.length === rest.length;
  const next: JsonObject = !isWhole
    ? { done: cursor.done, from: cursor.from, events: cursor.events + chunk.length }
    : changes.next === null
      ? { done: serial, from: 0, events: 0 }
      : { done: cursor.done, from: changes.next, events: 0 };
  return commitEvents(parts, chunk, { key: publicationCursorKey, revision }, next);
}

async function collectAbandoned(parts: PublicationParts, changes: PublicationChanges): Promise<void> {
  const { serial, published_at: at, packages } = changes;
  const present: Noticed[] = [];
  for (const { name } of packages) {
    const abandoned = await parts.facts.abandonedOf(name);
    if (abandoned === undefined) continue;
    const replacement = abandoned === true ? null : abandoned;
    const event = (): RegistryEvent => ({
      id: eventId('package.abandoned', serial, at, name, replacement ?? ''),
      type: 'package.abandoned',
      at,
      data: { package: name, replacement, url: parts.pageOf(name) },
      subject: { name, version_normalized: null, released_ms: null },
    });
    // another replacement is news, too
    present.push({ id: replacement === null ? name : `${name} ${replacement}`, event });
  }
  const looked = new Set(packages.map(({ name }) => name));
  await collectNew(parts, 'abandoned', present, (id) => looked.has(id.split(' ', 1)[0] ?? ''));
}

async function eventsOf(parts: PublicationParts, changes: PublicationChanges): Promise<readonly RegistryEvent[]> {
  const events: RegistryEvent[] = [];
  // clients do not get them: the event review.waiting tells people of them
  const held = new Set((await parts.held(changes.packages.map(({ name }) => name))).releases.map(keyOf));
  for (const given of changes.packages) {
    const isOffered = ({ version, reference }: ChangedVersion): boolean =>
      !held.has(keyOf({ name: given.name, normalized: normalizeVersion(version) ?? version, reference }));
    const change = { ...given, added: given.added.filter(isOffered), changed: given.changed.filter(isOffered) };
    const releasedMs = await parts.facts.releaseTimesOf(change.name);
    events.push(...versionEvents(changes, change, { releasedMs, page: parts.pageOf(change.name) }));
  }
  return events;
}

function keyOf({
  name,
  normalized,
  reference,
}: Record<keyof Pick<HeldRelease, 'name' | 'normalized' | 'reference'>, string>) {
  return `${name} ${normalized} ${reference}`;
}
