// Caches the tombstones of purged versions (I21) as of the last publication, and answers requests for a purged
// version.

import { createHash } from 'node:crypto';
import { missingRows, replacedTombstones } from '../../../build/contract/announced-lists.ts';
import {
  lookUpPurged,
  mergePurged,
  nothingPurged,
  parsePurged,
  purgedPath,
  type PurgedLookup,
  type PurgedVersion,
} from '../../../build/contract/purged.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import { errorAnswer, type Answer } from '../http/answer.ts';
import { andThen } from '../../../build/shared/concurrency/maybe-async.ts';
import { readAnnouncement, createPublishedListCache, type PublishedListCache } from '../tree/published-lists.ts';
import { parsePublished, type PublishedFiles } from '../tree/published-files.ts';
import { passes, type ReleaseFilter } from '../views/view.ts';

/** The same object while the list is unchanged. */
export type Tombstones = PublishedListCache<PurgedLookup>;

/**
 * Announced rows that the list lacks stay blocked by label and reference: the list was lost, or a copy of the tree gets
 * the list after the announcement. `libretto verify` and `libretto doctor` report such rows.
 */
export async function publishedTombstones(files: PublishedFiles): Promise<readonly PurgedVersion[]> {
  const publication = await readAnnouncement(files);
  const listed = await parsePublished(files, `index/${purgedPath}`, parsePurged).catch((error: unknown) => {
    // for a damaged list only the announcement is left: the server continues, and excludes the announced versions
    if (publication?.purged === undefined) throw error;
    return [];
  });
  const missing = missingRows(publication?.purged ?? [], listed);
  return missing.length === 0
    ? listed
    : [...listed, ...replacedTombstones(missing, new Date(publication?.published_at ?? 0))];
}

export function createTombstones(files: PublishedFiles): Tombstones {
  let last = { text: '', lookup: nothingPurged };
  return createPublishedListCache(files, async () => {
    const rows = await publishedTombstones(files);
    const text = JSON.stringify(rows);
    if (text !== last.text) last = { text, lookup: rows.length === 0 ? nothingPurged : lookUpPurged(rows) };
    return last.lookup;
  });
}

/**
 * Joins the tombstones of two trees: of an origin, and of the local data folder with this server's mirror. Returns the
 * same object while both are unchanged.
 */
export function joinTombstones(one: Tombstones, other: Tombstones): Tombstones {
  let last: { readonly there: PurgedLookup; readonly here: PurgedLookup; readonly lookup: PurgedLookup } | undefined;
  return {
    read: (nowMs) =>
      andThen(one.read(nowMs), (there) =>
        andThen(other.read(nowMs), (here) => {
          if (here.rows.length === 0) return there;
          if (last?.there !== there || last.here !== here)
            last = { there, here, lookup: lookUpPurged(mergePurged(there.rows, here.rows)) };
          return last.lookup;
        }),
      ),
  };
}

/** A version as a request for its archive names it. */
export interface ArchiveVersion {
  readonly name: string;
  /** pretty or normalized version */
  readonly labels: readonly string[];
  /** whole, short, or as its MD5; undefined: any */
  readonly reference: string | undefined;
}

/** A release matches by its label; a dev version by the reference, if one is named. */
export function tombstoneOf(
  { name, labels, reference }: ArchiveVersion,
  lookup: PurgedLookup,
): PurgedVersion | undefined {
  const rows =
    lookup.of(name)?.filter((row) => labels.includes(row.version) || labels.includes(row.version_normalized)) ?? [];
  return rows.find(
    (row) =>
      !isDevVersion(row.version_normalized) || reference === undefined || fits(row.reference, reference.toLowerCase()),
  );
}

function fits(known: string, wanted: string): boolean {
  if (!/^[0-9a-f]{7,64}$/.test(wanted)) return false;
  return known.startsWith(wanted) || createHash('md5').update(known).digest('hex') === wanted;
}

/**
 * The answer for a caller who would see the version if it existed. undefined for all others, who get the answer for an
 * unknown version.
 */
export function goneAnswer(
  { name, version, version_normalized: normalized, released, reason, since }: PurgedVersion,
  filter: ReleaseFilter,
  forComposer: boolean,
): Answer | undefined {
  const releasedMs = released === null ? Number.NaN : Date.parse(released);
  if (
    !passes(filter, { version_normalized: normalized, releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs })
  )
    return undefined;
  const message =
    `${name} ${version} was purged from this registry on ${since.slice(0, 10)} (${reason}) and will not come ` +
    'back. Require another version.';
  return errorAnswer('VERSION_GONE', {
    message,
    details: { package: name, version, reason, purged_at: since },
    forComposer,
  });
}
