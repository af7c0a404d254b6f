// The feature `changes`: the feed of changed documents, for mirrors of this registry (`metadata-changes-url` of
// packages.json). A mirror asks one question instead of one a package. The form is that of packagist.org
// (composer-repository-schema.json; PackageController.php of composer/packagist).

import { createHash } from 'node:crypto';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { jsonAnswer, type Answer } from '../core/http/answer.ts';
import { answerIn, TextDocument } from '../core/http/document.ts';
import type { Feature, FeatureRequest } from '../core/protocol/feature.ts';
import type { ReleasePolicy } from '../core/protocol/release-policy.ts';
import { type View, filterOf, passes, type ReleaseFilter } from '../core/views/view.ts';
import { feedTimeAfter } from '../../build/contract/feed-time.ts';
import type { PackageName } from '../../build/contract/name.ts';
import type { VersionChange } from '../../build/contract/version-changes.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { isDevVersion } from '../../build/contract/version.ts';
import type { PackageReleases, RecordedChange } from '../core/tree/package-releases.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';

export interface ChangeFeedParts {
  readonly files: ChangedFiles & { readonly epoch: (nowMs: number) => number | Promise<number> };
  readonly policy: Pick<ReleasePolicy, 'rules'>;
}

/** What a token sees, until the next publication. */
interface Kept {
  readonly epoch: number;
  readonly changes: readonly DocumentChange[];
  /** of the last change, epoch seconds */
  readonly last: number;
  /** the last answer: followers ask the same after a publication */
  answered?: { readonly question: string; readonly document: TextDocument };
}

const path = '/metadata/changes.json';
/** A timestamp has ten thousand parts of a second (packagist.org). */
const unit = 10_000;
const mostActions = 100_000;
const cacheBytes = 16 * 1024 * 1024;
const changeBytes = 250;
const hourMs = 3_600_000;

export function createChangeFeed(parts: ChangeFeedParts): Feature {
  const cache = new ByteCache<Kept>(cacheBytes);
  const reading = new SingleFlight<Kept>();
  const read = async (view: View | undefined, since: string | undefined, nowMs: number): Promise<Kept> => {
    const epoch = await parts.files.epoch(nowMs);
    const key = view?.key ?? '';
    const known = cache.get(key);
    if (known?.epoch === epoch) return known;
    // a later question needs no index of a package, but the next one may
    const last = view === undefined && since !== undefined ? (await parts.files.publication())?.feed?.time : undefined;
    const whole = reading.run(`${epoch} ${key}`, async () => {
      const changes = await changesSeen(parts.files, view, epoch);
      const kept: Kept = { epoch, changes, last: changes.at(-1)?.time ?? 0 };
      cache.set(key, kept, changes.length * changeBytes + key.length);
      return kept;
    });
    if (last === undefined || Number(since) < (last + 1) * unit) return whole;
    whole.catch(() => undefined); // the next question gets the error
    return { epoch, changes: [], last };
  };
  const answer = async (query: string, { token, incoming, nowMs }: FeatureRequest): Promise<Answer> => {
    const since = /(?:^|&)since=(\d{14,15})(?:&|$)/.exec(query)?.[1];
    const [kept, mark] = await Promise.all([read(token?.view, since, nowMs), markOf(parts, token?.view, nowMs)]);
    const { last } = kept;
    const newest = (last + 1) * unit + mark;
    // another publication may still come in the second of the last one: the next answer then has its changes again
    const reached = last < Math.floor(nowMs / 1000) ? newest : newest - unit;
    if (since === undefined) return unknownSince(reached);
    const document = documentSince(kept, Number(since), { newest, reached });
    const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = incoming.headers;
    return answerIn(document, { acceptEncoding, ifNoneMatch, ifModifiedSince: undefined }, () => undefined);
  };
  return {
    kinds: ['changes'],
    routeOf: (asked, query) =>
      asked === path
        ? { kind: 'changes', methods: 'GET, HEAD', open: false, answer: (request) => answer(query, request) }
        : undefined,
  };
}

/** A mirror that asks for the first time begins at the timestamp. */
function unknownSince(timestamp: number): Answer {
  const error =
    'Give "since": the timestamp of the last answer. To begin, read every package, and then ask since this timestamp.';
  return jsonAnswer(400, { error, code: 'INVALID_INPUT', details: {}, timestamp });
}

function documentSince(
  kept: Kept,
  since: number,
  { newest, reached }: { readonly newest: number; readonly reached: number },
): TextDocument {
  const timestamp = since === newest ? newest : reached;
  const question = `${since} ${newest} ${timestamp}`;
  if (kept.answered?.question !== question) {
    const text = Buffer.from(JSON.stringify({ actions: actionsSince(since, kept.changes, newest), timestamp }));
    kept.answered = { question, document: new TextDocument(text, kept.last * 1000) };
  }
  return kept.answered.document;
}

type Action = DocumentChange | { readonly type: 'resync'; readonly package: '*'; readonly time: number };

function actionsSince(since: number, changes: readonly DocumentChange[], timestamp: number): readonly Action[] {
  const mark = since % unit;
  const isOther = since > timestamp || (mark !== 0 && mark !== timestamp % unit);
  const from = Math.floor(since / unit);
  let first = changes.length;
  while (first > 0 && (changes[first - 1]?.time ?? 0) >= from) first -= 1;
  if (isOther || changes.length - first > mostActions)
    return [{ type: 'resync', package: '*', time: Math.floor(timestamp / unit) }];
  return changes.slice(first);
}

/**
 * The last digits of a timestamp name what the token sees besides publications: other limits or rules end in a resync. A
 * rule may begin to concern a version by its age or by a list, so with rules it is a resync each hour. Never 0: a
 * client that made `since` from a clock has that.
 */
async function markOf({ policy }: ChangeFeedParts, view: View | undefined, nowMs: number): Promise<number> {
  const rules = await policy.rules(nowMs);
  const facts = [view?.key ?? null, rules === undefined ? null : [rules.id, Math.floor(nowMs / hourMs)]];
  return 1 + (createHash('sha256').update(JSON.stringify(facts)).digest().readUInt32BE(0) % (unit - 1));
}

// The documents that changed for a view, from the changes that the serving indexes record: each with the time of its
// last visible change. Changes that the view does not see move no time (I14). Pure, but for reading the indexes.

interface ChangedFiles extends Pick<TreeFiles, 'publication'> {
  readonly visible: Pick<TreeFiles['visible'], 'of'>;
  readonly releases: (name: PackageName, epoch: number) => MaybeAsync<Pick<PackageReleases, 'changesSeen'> | undefined>;
}

/** One document: `acme/hello`, or `acme/hello~dev`. */
interface DocumentChange {
  readonly type: 'update' | 'delete';
  readonly package: string;
  /** epoch seconds */
  readonly time: number;
}

/** `changes`: those that the view sees, oldest first. */
interface Found extends Omit<DocumentChange, 'time'> {
  readonly changes: readonly RecordedChange[];
}

const suffixes = { stable: '', dev: '~dev' } as const;
const kinds = ['stable', 'dev'] as const;
const packagesAtOnce = 8;

/** Oldest first. Rejects if the index of a package cannot be read: its changes would be missing. */
async function changesSeen(
  files: ChangedFiles,
  view: View | undefined,
  epoch: number,
): Promise<readonly DocumentChange[]> {
  const [publication, { listed: names }, { listed }] = await Promise.all([
    files.publication(),
    files.visible.of(undefined, epoch),
    files.visible.of(view, epoch),
  ]);
  const found: Found[] = [];
  const { serial: last = Number.POSITIVE_INFINITY } = publication ?? {};
  const add = (name: PackageName, changesOf: (kind: 'stable' | 'dev') => readonly RecordedChange[]): void => {
    for (const kind of kinds) {
      // a publication that is under way, or was interrupted, has written some of its indexes
      const changes = changesOf(kind).filter(({ serial }) => serial <= last);
      const type = listed.has(name) ? 'update' : 'delete';
      if (changes.length > 0) found.push({ type, package: `${name}${suffixes[kind]}`, changes });
    }
  };
  for (const [name, changes] of Object.entries(publication?.pruned ?? {}) as [PackageName, readonly VersionChange[]][])
    if (!names.has(name)) add(name, (kind) => seenIn(changes, kind, filterOf(view, name)));
  const known = [...names, ...(publication?.withdrawn ?? [])].filter((name) => filterOf(view, name) !== 'none');
  for (let from = 0; from < known.length; from += packagesAtOnce) {
    const chunk = known.slice(from, from + packagesAtOnce);
    const releases = await Promise.all(chunk.map((name) => files.releases(name, epoch)));
    for (const [at, name] of chunk.entries())
      add(name, (kind) => releases[at]?.changesSeen(kind, filterOf(view, name)) ?? []);
  }
  return timed(found);
}

function seenIn(
  changes: readonly VersionChange[],
  kind: 'stable' | 'dev',
  filter: ReleaseFilter,
): readonly RecordedChange[] {
  return changes.filter(({ versions }) =>
    versions.some((one) => isDevVersion(one.version_normalized) === (kind === 'dev') && passes(filter, one)),
  );
}

/** The times rise with the serials (feed-time.ts), also where the clock of a publisher went back. */
function timed(found: readonly Found[]): readonly DocumentChange[] {
  const publications = new Map<number, number>();
  for (const { changes } of found)
    for (const { serial, at } of changes) publications.set(serial, Math.max(at, publications.get(serial) ?? at));
  const times = new Map<number, number>();
  let before = { at: Number.NEGATIVE_INFINITY, time: Number.NEGATIVE_INFINITY };
  for (const [serial, at] of [...publications].toSorted(([one], [other]) => one - other)) {
    before = feedTimeAfter(before, at);
    times.set(serial, before.time);
  }
  // older versions of Libretto recorded no serials
  const timeOf = ({ serial, at }: RecordedChange): number => (serial === 0 ? at : (times.get(serial) ?? at));
  const latest = (changes: readonly RecordedChange[]): number =>
    changes.reduce((time, change) => Math.max(time, timeOf(change)), 0);
  const lastOf = ({ changes }: Found): number => changes.at(-1)?.serial ?? 0;
  return found
    .toSorted((one, other) => lastOf(one) - lastOf(other))
    .map(({ type, package: name, changes }) => ({ type, package: name, time: latest(changes) }))
    .toSorted((one, other) => one.time - other.time);
}
