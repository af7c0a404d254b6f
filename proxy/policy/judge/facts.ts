// The facts that rules judge: of a package, and of one of its versions. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { objectsOf, textsOf } from '../../../build/review/capabilities.ts';
import { isDevVersion } from '../../../build/contract/version.ts';
import { shortText } from '../../../build/shared/text/short-text.ts';
import type { Gains } from './held-releases.ts';

export type PackageOrigin = 'private' | 'mirrored';

export interface AdvisoryFacts {
  readonly id: string;
  /** other ids of it, such as its CVE */
  readonly aliases: readonly string[];
  /** in lower case; null: unknown */
  readonly severity: string | null;
  /** the affected versions */
  readonly constraint: string;
  readonly title: string;
}

/** An entry of a filter list. */
export interface ListEntry {
  readonly list: string;
  readonly constraint: string;
  readonly reason: string | null;
}

export interface PackageFacts {
  readonly name: string;
  readonly origin: PackageOrigin;
  readonly advisories: readonly AdvisoryFacts[];
  readonly entries: readonly ListEntry[];
  /** what its releases gained; only the rule `capability` asks for it */
  readonly gains: () => Gains;
}

export interface VersionFacts {
  readonly version: string;
  readonly normalized: string;
  /** of its archive; empty: unknown */
  readonly reference: string;
  readonly dev: boolean;
  /** the author's time, epoch milliseconds; undefined: unknown */
  readonly releasedMs: number | undefined;
  /** when a registry first had it; undefined: unknown */
  readonly publishedMs: number | undefined;
  /** undefined: unknown, since no record of its package is published any more */
  readonly licenses: readonly string[] | undefined;
  /** undefined: unknown, as the licences */
  readonly type: string | undefined;
  /** false, true, or the replacement */
  readonly abandoned: boolean | string;
  /** undefined: unknown */
  readonly readme: boolean | undefined;
  /** who signed its tag; null: nobody that is known. undefined: unknown */
  readonly signedBy: string | null | undefined;
}

/** `record`: of a p2 document, in full. */
export function factsOfRecord(record: JsonObject): VersionFacts {
  const { version, version_normalized: normalized, time, license, type, abandoned, dist } = record;
  const text = typeof normalized === 'string' ? normalized : String(version);
  return {
    version: String(version),
    normalized: text,
    reference: isJsonObject(dist) ? String(dist['reference'] || dist['shasum'] || '') : '',
    dev: isDevVersion(text),
    releasedMs: momentOf(time),
    publishedMs: momentOf(record['published-time']),
    licenses: textsOf(license),
    type: typeof type === 'string' ? type.toLowerCase() : 'library',
    abandoned: typeof abandoned === 'string' ? (abandoned === '' ? false : abandoned) : abandoned === true,
    readme: undefined,
    signedBy: undefined,
  };
}

/** Characters of a stranger's text in an answer, an event and a record. */
const mostText = 300;

/** The advisories at the top of a p2 document, and in the lists of the registry. */
export function advisoriesIn(value: JsonValue | undefined): readonly AdvisoryFacts[] {
  return objectsOf(value).flatMap(({ advisoryId, cve, affectedVersions, severity, title, sources }) =>
    typeof affectedVersions !== 'string'
      ? []
      : [
          {
            id: textOf(advisoryId),
            aliases: [...textsOf(cve), ...objectsOf(sources).map(({ remoteId }) => textOf(remoteId))],
            severity: typeof severity === 'string' && severity !== '' ? severity.toLowerCase() : null,
            constraint: affectedVersions,
            title: shortText(title, mostText) ?? textOf(advisoryId),
          },
        ],
  );
}

/** The filter lists at the top of a p2 document. */
export function entriesIn(value: JsonValue | undefined): readonly ListEntry[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([list, entries]) =>
    objectsOf(entries).flatMap(({ constraint, reason }) =>
      typeof constraint === 'string' ? [{ list, constraint, reason: shortText(reason, mostText) }] : [],
    ),
  );
}

/** The name under which Composer and Packagist list malware. */
export const malwareList = 'malware';

/** Of the OpenSSF's list of malicious packages. */
export function isMalwareId(id: string): boolean {
  return id.startsWith('MAL-');
}

/** Advisories about malicious packages are entries of the list `malware`, too. */
export function malwareIn(advisories: readonly AdvisoryFacts[]): readonly ListEntry[] {
  return advisories
    .filter(({ id, aliases }) => [id, ...aliases].some(isMalwareId))
    .map(({ id, title, constraint }) => ({ list: malwareList, constraint, reason: `${id}: ${title}` }));
}

function textOf(value: JsonValue | undefined): string {
  return shortText(String(value), mostText) ?? '';
}

function momentOf(value: JsonValue | undefined): number | undefined {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
