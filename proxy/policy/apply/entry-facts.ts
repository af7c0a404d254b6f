// The facts of an archive in the serving index, with what the record of a version adds. Pure.

import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import { factsOfRecord, type VersionFacts } from '../judge/facts.ts';

/** The known facts of the former record of this archive; undefined: there are none. */
export function factsOfFormer({ version, version_normalized, facts }: IndexEntry): VersionFacts | undefined {
  return facts === undefined ? undefined : factsOfRecord({ version, version_normalized, ...facts });
}

/** `record`: of this version, or of the nearest one. `isOwn`: it is the published record of exactly this archive. */
export function factsOfEntry(
  {
    version,
    version_normalized: normalized,
    reference,
    time,
    first_published: first,
    since,
    readme,
    state,
    signed_by: signer,
    facts,
  }: IndexEntry,
  record: VersionFacts | undefined,
  isOwn: boolean,
): VersionFacts {
  const dev = isDevVersion(normalized);
  return {
    version,
    normalized,
    reference,
    dev,
    releasedMs: isOwn ? record?.releasedMs : momentOf(time),
    publishedMs: isOwn ? record?.publishedMs : momentOf(first ?? since),
    licenses: record?.licenses,
    type: record?.type,
    abandoned: record?.abandoned ?? false,
    // an older version of Libretto forgot the README of a version that is no longer published
    readme: state === 'published' ? readme !== undefined : facts === undefined ? undefined : facts.readme === true,
    signedBy: signer ?? null,
  };
}

function momentOf(text: string | null): number | undefined {
  const moment = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}
