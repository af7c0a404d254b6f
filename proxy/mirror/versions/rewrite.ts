// Makes the client's document of a mirrored package from the upstream's records: archives come from this registry, and
// no URL bypasses it. Pure. `source` is left out: after a refused archive, Composer would clone from there, past every
// check and rule.

import type { Sha1 } from '../../../build/contract/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { joinYielding } from '../../../build/shared/concurrency/yielding.ts';
import { createMinifier, minifiedMark } from '../../core/documents/minified.ts';
import type { OfferedVersion } from './offered-version.ts';

/** The accepted archives, for lookup. */
export interface AcceptedArchives {
  /** the accepted archive of this version and reference; for a release, of any reference */
  readonly find: (
    version: Pick<OfferedVersion, 'version' | 'normalized' | 'dev'>,
    reference: string,
  ) => { readonly reference: string; readonly shasum: Sha1; readonly fetchedAt: string } | undefined;
}

export interface DocumentParts {
  readonly name: PackageName;
  readonly versions: readonly OfferedVersion[];
  readonly accepted: AcceptedArchives;
  /** undefined: archives are named by a path (see documents.ts of the contract, mirrorDistUrl) */
  readonly distBaseUrl: string | undefined;
  readonly warnings: readonly string[];
  /** advisories that Composer can load; undefined: no list */
  readonly advisories: readonly JsonObject[] | undefined;
  /** the filter lists of the upstream's document */
  readonly filter: JsonValue | undefined;
}

/**
 * Characters. A document that would be larger stays in the short form: a few megabytes of the short form can expand to
 * gigabytes.
 */
const largestInFull = 8 * 1024 ** 2;

/**
 * The text of the document: every version in full under its label, as in documents of own packages. Equal parts give
 * equal texts. Other requests get their turn in between.
 */
export async function formatMirrored(parts: DocumentParts, mostInFull: number = largestInFull): Promise<string> {
  const { name, versions, accepted, distBaseUrl } = parts;
  const minify = createMinifier();
  const full = await joinYielding(
    textsOf(
      versions,
      (version) =>
        `${JSON.stringify(version.version)}:${JSON.stringify(rewriteRecord(name, version, accepted, distBaseUrl))}`,
    ),
    mostInFull,
  );
  const own =
    full === undefined
      ? `[${await joinYielding(textsOf(versions, (version) => JSON.stringify(minify(rewriteRecord(name, version, accepted, distBaseUrl)))))}]`
      : `{${full}}`;
  const beside = JSON.stringify({ ...(full === undefined ? { minified: minifiedMark } : {}), ...listsOf(parts) }).slice(
    1,
    -1,
  );
  return `{"packages":{${JSON.stringify(name)}:${own}}${beside === '' ? '' : `,${beside}`}}\n`;
}

function* textsOf(versions: readonly OfferedVersion[], textOf: (version: OfferedVersion) => string): Generator<string> {
  for (const version of versions) yield textOf(version);
}

/** The keys next to `packages`. */
function listsOf({ warnings, advisories, filter }: DocumentParts): JsonObject {
  return {
    ...(advisories === undefined ? {} : { 'security-advisories': advisories }),
    ...(isJsonObject(filter) ? { filter: usableLists(filter) } : {}),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((message) => ({ versions: '*', message })) }),
  };
}

/** What Composer can read: lists of rows with a constraint. */
function usableLists(filter: JsonObject): JsonObject {
  const isRow = (row: JsonValue): boolean => isJsonObject(row) && typeof row['constraint'] === 'string';
  return Object.fromEntries(
    Object.entries(filter).flatMap(([list, rows]) =>
      Array.isArray(rows) ? [[list, (rows as readonly JsonValue[]).filter(isRow)]] : [],
    ),
  );
}

/** Fields that would lead a client past this registry, or that are written again. */
const replaced: ReadonlySet<string> = new Set([
  'name',
  'version',
  'version_normalized',
  'dist',
  'source',
  'notification-url',
  'transport-options',
  'installation-source',
]);

export function rewriteRecord(
  name: PackageName,
  version: OfferedVersion,
  accepted: AcceptedArchives,
  distBaseUrl: string | undefined,
): JsonObject {
  const own = Object.fromEntries(Object.entries(version.record).filter(([field]) => !replaced.has(field)));
  return {
    name,
    version: version.version,
    version_normalized: version.normalized,
    ...own,
    ...distOf(name, version, accepted, distBaseUrl),
    ...publishedTimeOf(version, accepted),
  };
}

/**
 * The upstream's own date stays unchanged. A release without one gets the time of its archive's acceptance here
 * (AcceptedPackage.learned); before, the date is unknown. Dev versions get none, as with checksums.
 */
function publishedTimeOf(version: OfferedVersion, accepted: AcceptedArchives): JsonObject {
  const { dev, dist, record } = version;
  const known =
    dev || typeof record['published-time'] === 'string' ? undefined : accepted.find(version, dist?.reference ?? '');
  return known === undefined
    ? {}
    : { 'published-time': `${known.fetchedAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}+00:00` };
}

/**
 * The checksum of the accepted bytes, if there are any. A dev version without an upstream checksum gets none:
 * `dev-main#<older commit>` has the same record, and would fail.
 */
function distOf(
  name: PackageName,
  offered: OfferedVersion,
  accepted: AcceptedArchives,
  distBaseUrl: string | undefined,
): JsonObject {
  const { version, dev, dist } = offered;
  if (dist === undefined) return {};
  const known = accepted.find(offered, dist.reference);
  const shasum = dev && dist.shasum === undefined ? undefined : (known?.shasum ?? dist.shasum);
  const reference = known?.reference ?? dist.reference;
  return {
    dist: {
      type: 'zip',
      url: distUrl(name, version, distBaseUrl),
      ...(reference === '' ? {} : { reference }),
      ...(shasum === undefined ? {} : { shasum }),
    },
  };
}

/** The builder's format. */
function distUrl(name: PackageName, version: string, base: string | undefined): string {
  if (base === undefined) return `/dist/${name}/${version}.zip`;
  return `${base}/dist/${name}/${encodeURI(version).replaceAll('#', '%23').replaceAll('?', '%3F')}.zip?ref=%reference%`;
}
