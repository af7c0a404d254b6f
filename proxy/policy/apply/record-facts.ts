// The facts of the published records of one package, and of its archives in the serving index. A lock file may name an archive whose record
// is no longer published: then what the index kept of it counts. An index of an older version of Libretto kept nothing,
// and the record of the same version counts, or the newest one. Pure.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { factsOfRecord, type VersionFacts } from '../judge/facts.ts';
import { isDevVersion } from '../../../build/contract/version.ts';

export interface RecordFacts {
  /** by normalized version, and by normalized version and reference */
  readonly records: ReadonlyMap<string, VersionFacts>;
  readonly newest: VersionFacts | undefined;
}

/** `documents`: the records of the dev document, then those of the stable one; each newest first. */
export function recordFacts(documents: readonly (readonly JsonObject[])[]): RecordFacts {
  const records = new Map<string, VersionFacts>();
  for (const document of documents)
    for (const record of document.toReversed()) {
      const facts = factsOfRecord(record);
      const reference = isJsonObject(record['dist']) ? record['dist']['reference'] : undefined;
      records.set(facts.normalized, facts);
      records.set(`${facts.normalized} ${String(reference)}`, facts);
    }
  return { records, newest: [...records.values()].at(-1) };
}

export function factsOfArchive({ records, newest }: RecordFacts, entry: IndexEntry): VersionFacts {
  const same = records.get(`${entry.version_normalized} ${entry.reference}`);
  const later = records.get(entry.version_normalized) ?? newest;
  return factsOfEntry(entry, same ?? formerly(entry, later) ?? later, same !== undefined);
}

/** A package may be abandoned after the version has left: then its present record says so. */
function formerly(entry: IndexEntry, later: VersionFacts | undefined): VersionFacts | undefined {
  const former = factsOfFormer(entry);
  return former?.abandoned === false && later !== undefined ? { ...former, abandoned: later.abandoned } : former;
}

/** The known facts of the former record of this archive; undefined: there are none. */
function factsOfFormer({ version, version_normalized, facts }: IndexEntry): VersionFacts | undefined {
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
