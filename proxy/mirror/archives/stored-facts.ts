// The facts of an archive of a mirrored package. Of an accepted archive, its own record counts. An upstream can mark
// the package as abandoned later, or tell its `published-time` later, and cannot change anything else of accepted
// bytes. Pure.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import { isDevVersion, normalizeVersion } from '../../../build/contract/version.ts';
import { factsOfRecord, type VersionFacts } from '../../policy/judge/facts.ts';
import { buildOf } from '../versions/offered-version.ts';
import { normalized as withNormalized } from '../rules/release-rules.ts';
import type { Offers } from './offered-records.ts';

export function offeredFacts(record: JsonObject): VersionFacts {
  return factsOfRecord(withNormalized(record));
}

/** `kept`: the record of the archive; undefined: its file is gone. `beside`: the lists of the package, and `abandoned`. */
export function storedFacts(
  entry: IndexEntry,
  kept: JsonObject | undefined,
  offers: Offers,
  beside: JsonObject,
): VersionFacts {
  const offered = offeredIn(offers, entry);
  const record = kept ?? offered;
  if (record === undefined) return unknownFacts(entry, beside);
  // an upstream that takes the mark back leaves it out
  const abandoned =
    offered === undefined ? (beside['abandoned'] ?? record['abandoned']) : (offered['abandoned'] ?? false);
  const published = record['published-time'] ?? offered?.['published-time'];
  return offeredFacts({
    ...record,
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(published === undefined ? {} : { 'published-time': published }),
  });
}

function offeredIn({ own, stable }: Offers, entry: IndexEntry): JsonObject | undefined {
  const isSame = ({ version, version_normalized: normalized = null }: JsonObject): boolean =>
    version === entry.version ||
    ((normalized ?? normalizeVersion(String(version))) === entry.version_normalized &&
      buildOf(String(version)) === buildOf(entry.version));
  return own?.document.versions.find(isSame) ?? (own === stable ? undefined : stable?.document.versions.find(isSame));
}

function unknownFacts({ version, version_normalized: normalized }: IndexEntry, beside: JsonObject): VersionFacts {
  return {
    ...factsOfRecord({ ...beside, version, version_normalized: normalized }),
    dev: isDevVersion(normalized),
    licenses: undefined,
    type: undefined,
  };
}
