// The facts of the published records of one package, and of its archives. A lock file may name an archive whose record
// is no longer published: then what the index kept of it counts. An index of an older version of Libretto kept nothing,
// and the record of the same version counts, or the newest one. Pure.

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { factsOfRecord, type VersionFacts } from '../judge/facts.ts';
import { factsOfEntry, factsOfFormer } from './entry-facts.ts';

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
