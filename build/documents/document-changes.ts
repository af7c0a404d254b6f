// The changes of a document's versions after a publication, from which the dates of views are computed
// (contract/version-changes.ts). Pure.

import { formatReleasedVersion, type ReleasedVersion } from '../contract/released-version.ts';
import type { DocumentStamp } from '../contract/serving-index.ts';
import type { VersionChange } from '../contract/version-changes.ts';

/** The publication that is being made. */
export interface PublicationMoment {
  readonly serial: number;
  /**
   * the latest date that views can have from earlier publications, epoch seconds; infinite after an interrupted
   * publication
   */
  readonly datesUntil: number;
  /** no change of this publication or an earlier one leaves the list */
  readonly kept: number;
}

/** A version of a document, and the text of its record, made on demand. */
export interface WrittenVersion {
  readonly version: ReleasedVersion;
  readonly record: () => string;
}

export interface DocumentChange {
  readonly moment: PublicationMoment;
  readonly now: Date;
  /** the stamp of the former document; null: there was none */
  readonly previous: DocumentStamp | null;
  /** all versions in the former serving index, published or not */
  readonly known: readonly ReleasedVersion[];
  /** versions of the readers' present document, and of the next one, in their order */
  readonly before: readonly WrittenVersion[];
  readonly after: readonly WrittenVersion[];
  /** true: the order of versions matters, because Composer takes the first of equal candidates */
  readonly isOrdered: boolean;
  /** true: the text around the versions differs, or the former document is not trusted */
  readonly extrasChanged: boolean;
  /** Last-Modified of the document that readers have; undefined: they have none */
  readonly placed: number | undefined;
}

/** `next`: the stamp of the document after this publication. Returns the same stamp if the document is unchanged. */
export function withChanges(next: DocumentStamp | null, change: DocumentChange): DocumentStamp | null {
  const { previous, moment, now } = change;
  if (next === null || next === previous) return next;
  const at = Math.floor(now.getTime() / 1000);
  const past = changesUntilNow(previous, change.known);
  const touched = new Map(
    [
      ...changedVersions(change),
      ...(change.isOrdered ? movedVersions(change) : []),
      ...unseenVersions(past, change.placed),
    ].map((version) => [formatReleasedVersion(version), version]),
  );
  if (touched.size === 0) return { ...next, changes: past };
  const latest: VersionChange = {
    serial: moment.serial,
    last_modified: next.last_modified,
    at,
    versions: [...touched.values()],
  };
  // a date later than all earlier ones replaces them
  const earlier = at > moment.datesUntil ? without(past, touched, moment.kept) : past;
  return { ...next, changes: [...earlier, latest] };
}

/**
 * All changes until now. A publication of an older version of Libretto counts as one change at one moment, because its
 * record has no details.
 */
export function changesUntilNow(
  previous: DocumentStamp | null,
  known: readonly ReleasedVersion[],
): readonly VersionChange[] {
  if (previous === null) return [];
  return (
    previous.changes ?? [
      { serial: 0, last_modified: previous.last_modified, at: previous.last_modified, versions: distinct(known) },
    ]
  );
}

function changedVersions({ before, after, extrasChanged }: DocumentChange): readonly ReleasedVersion[] {
  if (extrasChanged) return [...before, ...after].map(({ version }) => version);
  const had = new Map(before.map((written) => [formatReleasedVersion(written.version), written.record]));
  const changed = after.filter(({ version, record }) => {
    const former = had.get(formatReleasedVersion(version));
    return former === undefined || former() !== record();
  });
  const has = new Set(after.map(({ version }) => formatReleasedVersion(version)));
  return [...changed, ...before.filter(({ version }) => !has.has(formatReleasedVersion(version)))].map(
    ({ version }) => version,
  );
}

/** Returns both versions of each swapped pair, so that a reader of either version sees a change. */
function movedVersions({ before, after }: DocumentChange): readonly ReleasedVersion[] {
  const places = new Map(after.map(({ version }, at) => [formatReleasedVersion(version), at]));
  const stayed = before.flatMap(({ version }) => {
    const at = places.get(formatReleasedVersion(version));
    return at === undefined ? [] : [{ version, at }];
  });
  if (stayed.every(({ at }, was) => was === 0 || at > (stayed[was - 1]?.at ?? 0))) return [];
  return stayed
    .filter((one, was) => stayed.some((other, otherWas) => was < otherWas !== one.at < other.at && was !== otherWas))
    .map(({ version }) => version);
}

/**
 * The changes of interrupted publications, whose document never reached readers. A list may have shown them, even if a
 * later publication reverted them.
 */
function unseenVersions(past: readonly VersionChange[], placed: number | undefined): readonly ReleasedVersion[] {
  return past
    .filter(({ last_modified: lastModified }) => placed !== undefined && lastModified > placed)
    .flatMap(({ versions }) => versions);
}

function without(
  past: readonly VersionChange[],
  versions: ReadonlyMap<string, ReleasedVersion>,
  kept: number,
): readonly VersionChange[] {
  return past
    .map((change) => ({
      ...change,
      versions: change.versions.filter(
        (version) => change.serial <= kept || !versions.has(formatReleasedVersion(version)),
      ),
    }))
    .filter((change) => change.versions.length > 0);
}

function distinct(versions: readonly ReleasedVersion[]): readonly ReleasedVersion[] {
  return [...new Map(versions.map((version) => [formatReleasedVersion(version), version])).values()];
}
