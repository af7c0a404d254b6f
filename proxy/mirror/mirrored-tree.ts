// Mirrored packages as the tree answers with them, behind what is published: through a token's view, which hides what
// it hides of any package.

import { advisoriesOf, type AdvisoryLists } from '../../build/contract/safety-lists.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { dateShiftMs, viewShiftSeconds } from '../../build/shared/caches/date-shift.ts';
import { TextDocument } from '../http/document.ts';
import type { PublishedAdvisories } from '../tree/safety-lists.ts';
import { passes, type Release, type ReleaseFilter, type View } from '../views/view.ts';
import { mergeLocalAdvisories } from './advisories/merge-local-advisories.ts';
import type { Asked, MirroredPackages, Moment, Viewer } from '../protocol/mirrored-packages.ts';
import type { Mirror } from './mirror.ts';
import { formatProviderDocument, readProviderDocument, type ProviderDocument } from './versions/provider-document.ts';
import type { Stability } from './upstream/upstream.ts';

/** The port of the tree, and what features ask of mirrored packages besides. */
export interface MirroredTree extends MirroredPackages {
  /**
   * The label of a version that was accepted once, whose normalized version is given; undefined: there is none, or none
   * that is seen.
   */
  readonly installed: (
    name: PackageName,
    normalized: string,
    viewer: Viewer,
    moment: Moment,
  ) => Promise<string | undefined>;
  readonly advisories: Mirror['advisories'];
  readonly filters: Mirror['filters'];
  readonly filterLists: Mirror['filterLists'];
}

interface Seen {
  readonly base: TextDocument;
  /** undefined: nothing of it is seen */
  readonly document: TextDocument | undefined;
}

/** `cacheBytes`: memory for documents that views see. `safety`: what is said here of any package, mirrored ones too. */
export function createMirroredTree(mirror: Mirror, cacheBytes: number, safety?: PublishedAdvisories): MirroredTree {
  const advised = new WeakMap<
    TextDocument,
    { readonly lists: AdvisoryLists; readonly document: MaybeAsync<TextDocument> }
  >();
  const kept = new ByteCache<Seen>(cacheBytes);
  const making = new Map<
    string,
    { readonly base: TextDocument; readonly document: Promise<TextDocument | undefined> }
  >();
  const read = new WeakMap<TextDocument, MaybeAsync<ProviderDocument>>();

  const versionsOf = (document: TextDocument, name: PackageName): MaybeAsync<ProviderDocument> => {
    const known = read.get(document);
    if (known !== undefined) return known;
    const reading = readProviderDocument(document, name);
    read.set(document, reading);
    reading.then(
      (found) => read.set(document, found),
      () => read.delete(document),
    );
    return reading;
  };
  /** With what is said here of the package. */
  const completed = (
    document: TextDocument,
    name: PackageName,
    lists: AdvisoryLists | undefined,
  ): MaybeAsync<TextDocument> => {
    if (lists?.packages.has(name) !== true) return document;
    const known = advised.get(document);
    if (known?.lists === lists) return known.document;
    const completing = mergeLocalAdvisories(document, name, advisoriesOf(lists, name));
    advised.set(document, { lists, document: completing });
    completing.then(
      (made) => advised.get(document)?.document === completing && advised.set(document, { lists, document: made }),
      () => advised.delete(document),
    );
    return completing;
  };
  const seenOf = (
    document: TextDocument,
    name: PackageName,
    stability: Stability,
    { view, filter }: Viewer,
  ): MaybeAsync<TextDocument | undefined> => {
    if (view === undefined || filter === 'all') return document;
    const key = `${view.key} ${name} ${stability}`;
    const known = kept.get(key);
    if (known?.base === document) return known.document;
    const before = making.get(key);
    if (before?.base === document) return before.document;
    const filtering = filtered(versionsOf(document, name), document, name, { view, filter })
      .then((seen) => {
        kept.set(
          key,
          { base: document, document: seen },
          key.length + 512 + (seen === undefined || seen === document ? 0 : seen.weight),
        );
        return seen;
      })
      .finally(() => {
        if (making.get(key)?.document === filtering) making.delete(key);
      });
    making.set(key, { base: document, document: filtering });
    return filtering;
  };
  /** Whether one of the versions that the labels may mean is seen. What its upstream does not offer any more is not. */
  const sees = ({ name, labels }: Asked, { filter }: Viewer, moment: Moment): MaybeAsync<boolean> =>
    filter === 'all' || seesVersion(name, labels, filter, moment);
  const seesVersion = async (
    name: PackageName,
    labels: readonly string[],
    filter: ReleaseFilter,
    moment: Moment,
  ): Promise<boolean> => {
    for (const stability of ['stable', 'dev'] as const) {
      const document = (await mirror.document(name, stability, moment))?.document;
      const records = document === undefined ? [] : (await versionsOf(document, name)).records;
      const meant = records.find((record) =>
        labels.some((label) => label === record['version'] || label === record['version_normalized']),
      );
      if (meant !== undefined) return passes(filter, releaseOf(meant));
    }
    return false;
  };
  return {
    isOn: () => mirror.isOn(),
    isElsewhere: (name, moment) => mirror.isElsewhere(name, moment),
    provider: (name, stability, preferences, viewer, moment) =>
      andThen(safety?.read(moment.nowMs), (lists) =>
        mirror.provider(name, stability, preferences, moment, (document) =>
          andThen(completed(document, name, lists), (whole) => seenOf(whole, name, stability, viewer)),
        ),
      ),
    advisories: (names, moment) => mirror.advisories(names, moment),
    filters: (names, moment) => mirror.filters(names, moment),
    filterLists: () => mirror.filterLists(),
    installed: async (name, normalized, viewer, moment) => {
      if (viewer.filter === 'none' || (await mirror.belongs(name, moment)).to !== 'upstreams') return undefined;
      const entry = (await mirror.shelf.accepted(name)).archive([normalized], undefined);
      return entry !== undefined &&
        (await sees({ name, labels: [entry.version], reference: undefined }, viewer, moment))
        ? entry.version
        : undefined;
    },
    archive: (asked, preferences, viewer, moment) =>
      andThen(
        mirror.archive(asked, preferences, moment, () => sees(asked, viewer, moment)),
        (answer) => {
          if (answer === undefined) return undefined;
          const under = (label: string | undefined) => ({ answer, version: label ?? asked.labels[0] ?? '' });
          // the answer may be an open file: whatever goes wrong from here on, it is sent
          return andThen(
            mirror.shelf.accepted(asked.name),
            (accepted) => under(accepted.archive(asked.labels, undefined)?.version),
            () => under(undefined),
          );
        },
      ),
  };
}

async function filtered(
  read: MaybeAsync<ProviderDocument>,
  base: TextDocument,
  name: PackageName,
  { view, filter }: { readonly view: View; readonly filter: ReleaseFilter },
): Promise<TextDocument | undefined> {
  const { records, beside } = await read;
  const seen = records.filter((record) => passes(filter, releaseOf(record)));
  if (seen.length === 0 && records.length > 0) return undefined;
  const document =
    seen.length === records.length
      ? base
      : new TextDocument(await formatProviderDocument(name, { records: seen, beside }), 0);
  return new TextDocument(document, contentDateMs - dateShiftMs(`${view.key} ${document.digest}`, viewShiftSeconds));
}

/**
 * What an upstream changed of the versions that a view sees is not known, and its own date would tell of the others
 * (I14). So the date of a part stands for its bytes: another one with other bytes, on every host, though not a later
 * one. It is before this moment.
 */
const contentDateMs = Date.UTC(2025, 0, 1);

function releaseOf({ version_normalized: normalized, time }: JsonObject): Release {
  const releasedMs = Date.parse(String(time));
  return { version_normalized: String(normalized), releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs };
}
