// Compares the versions of a package in another registry with those here: which are new, the same, other or missing.

import { isDeepStrictEqual } from 'node:util';
import { parseReference } from '../../build/contract/digest.ts';
import type { VersionRecord } from '../../build/contract/documents.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { providerPath } from '../../build/contract/paths.ts';
import { lookUpPurged, type PurgedLookup } from '../../build/contract/purged.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { parseProvider } from '../../build/documents/documents.ts';
import type { Output } from '../../build/output/output.ts';
import { parseOwnFile, readOwnIndex } from '../../build/output/parse-own-file.ts';
import { listPurged } from '../../build/package/purged.ts';
import { readJson, writeJson } from '../../build/record/exact-integers.ts';
import { entriesOf } from '../../build/record/php-array.ts';
import { ownFields } from '../../build/record/version-record.ts';
import { listWithheld } from '../../build/version-lists/withheld.ts';
import type { Offered, OfferedVersion } from '../../proxy/mirror/versions/offered-version.ts';
import type { Difference, Findings } from './adoption-report.ts';
import type { VersionWithDist } from './remote-registry.ts';
import { keyOf, withArchive, type Staged } from './staged-archives.ts';

/** The versions of one package here, and what people decided about them. */
export interface PackageHere {
  readonly name: PackageName;
  /** its published versions, by normalized version */
  readonly published: ReadonlyMap<string, IndexEntry>;
  /** the records of its releases */
  readonly records: readonly VersionRecord[];
  /** normalized versions that people withdrew */
  readonly withheld: ReadonlySet<string>;
  readonly blocks: PurgedLookup['blocks'];
  /** id of the other registry, as the source of versions here */
  readonly source: string;
}

/** `isHere` false: it can be published here. */
type Standing = { readonly isHere: boolean } | { readonly kind: 'differs' | 'only-there'; readonly because: string };

export type PackageFindings = Omit<Findings, 'packages' | 'unmatched'>;

export const none: PackageFindings = { versions: 0, here: 0, taken: [], fetched: 0, fetched_bytes: 0, differences: [] };

/** Reads what this registry has of a package. `source`: id of the other one. */
export async function packagesHere(
  output: Output,
  source: string,
): Promise<(name: PackageName) => Promise<PackageHere>> {
  const withheld = await listWithheld(output);
  const { blocks } = lookUpPurged(await listPurged(output));
  return async (name) => {
    const published = (await readOwnIndex(output, name))?.versions.filter(({ state }) => state === 'published') ?? [];
    const path = providerPath(name, 'stable');
    const text = published.length === 0 ? undefined : await output.read('public', path);
    return {
      name,
      published: new Map(published.map((entry) => [entry.version_normalized, entry])),
      records: (text && parseOwnFile(`public/${path}`, () => parseProvider(text, name))) || [],
      withheld: new Set(withheld.flatMap((row) => (row.name === name ? [row.version_normalized] : []))),
      blocks,
      source,
    };
  };
}

/** `fresh`: versions that are new, and can be published beside each other; also those that a killed run published. */
export function comparePackage(
  { versions, leftOut }: Offered,
  here: PackageHere,
  staged: Staged,
  registersSources: boolean,
): PackageFindings & { readonly fresh: readonly VersionWithDist[] } {
  const { name } = here;
  const fresh = new Map<string, VersionWithDist>();
  const differences: Difference[] = leftOut.map(({ version, reason, because }) =>
    onlyThere(name, version, `${because.split('; ', 1)[0] ?? ''}${adviceFor(reason, registersSources)}`),
  );
  let same = 0;
  for (const one of versions.map(withArchive)) {
    const { version, normalized } = one;
    const standing = standingOf(one, here, staged);
    const twin = fresh.get(normalized);
    if (twin !== undefined)
      differences.push(onlyThere(name, version, `${twin.version} is the same version to Composer`));
    else if ('kind' in standing) differences.push({ name, version, ...standing });
    else if (standing.isHere) same += 1;
    else fresh.set(normalized, one);
  }
  return {
    ...none,
    versions: versions.length + leftOut.length,
    here: same,
    differences: [...differences, ...onlyHere(here, versions)],
    fresh: [...fresh.values()],
  };
}

/** A version that is published here stays as it is. Only a dev version of this very registry moves on. */
function standingOf(one: VersionWithDist, here: PackageHere, staged: Staged): Standing {
  const { normalized, dev, dist } = one;
  const reference = parseReference(dist.reference);
  if (here.withheld.has(normalized)) return { kind: 'only-there', because: 'it was withdrawn here by hand' };
  if (here.blocks(here.name, { normalized, reference: reference ?? '' }) !== undefined)
    return { kind: 'only-there', because: 'it was purged here' };
  const current = here.published.get(normalized);
  if (current === undefined) return { isHere: false };
  const isOurs = current.source === here.source;
  const change = changeOf(one, reference, current) ?? (isOurs ? changeOfRecord(one, here) : undefined);
  if (change === undefined) return { isHere: !isOurs || !staged.has(keyOf(one)) };
  return dev && isOurs ? { isHere: false } : { kind: 'differs', because: change };
}

/** A dev version may be packed again: its reference alone says what is in it. */
function changeOf(
  { dev, dist: { shasum } }: VersionWithDist,
  reference: string | undefined,
  current: IndexEntry,
): string | undefined {
  if (reference !== undefined && reference !== current.reference)
    return `its reference is ${short(reference)} there and ${short(current.reference)} here`;
  if (shasum === undefined || shasum === current.shasum || (dev && reference !== undefined)) return undefined;
  return `its archive has the SHA-1 ${short(shasum)} there and ${short(current.shasum)} here`;
}

/** Of a release that came from there, whose record was taken as it was. */
function changeOfRecord({ normalized, record }: VersionWithDist, { records }: PackageHere): string | undefined {
  const here = records.find((one) => one.version_normalized === normalized) ?? record;
  const [one, other] = [comparable(record), comparable(here)];
  const fields = Object.keys({ ...one, ...other }).filter((field) => !isDeepStrictEqual(one[field], other[field]));
  return fields.length === 0 ? undefined : `its metadata is other there: ${fields.join(', ').slice(0, 200)}`;
}

/**
 * As it is written here, and as Composer reads it: to PHP, a list and an object are one type, and an empty one is like
 * an absent field. A registry may mark a package as abandoned at any time, also this one.
 */
function comparable(record: JsonObject): JsonObject {
  const { abandoned: _changeable, ...own } = ownFields(readJson(writeJson(record)) as JsonObject);
  const { type, license, bin, autoload, 'autoload-dev': autoloadDev, ...others } = own;
  return withoutEmpty({
    ...others,
    type: typeof type === 'string' ? type.toLowerCase() : 'library',
    license: typeof license === 'string' ? [license] : license,
    bin: typeof bin === 'string' ? [bin] : bin,
    autoload: isJsonObject(autoload) ? withoutEmpty(autoload) : autoload,
    'autoload-dev': isJsonObject(autoloadDev) ? withoutEmpty(autoloadDev) : autoloadDev,
  });
}

function withoutEmpty(fields: JsonObject): JsonObject {
  const rows = Object.entries(fields).map(([field, value]) => [field, asInPhp(value ?? null)] as const);
  return Object.fromEntries(rows.filter(([, value]) => value !== null && JSON.stringify(value) !== '{}'));
}

function asInPhp(value: JsonValue): JsonValue {
  const entries = entriesOf(value)?.map(([key, entry]) => [key, asInPhp(entry)] as const);
  return entries === undefined ? value : Object.fromEntries(entries);
}

function short(digest: string): string {
  return digest.slice(0, 12);
}

export function onlyHere({ name, published, source }: PackageHere, versions: readonly OfferedVersion[]): Difference[] {
  const there = new Set<string>(versions.map(({ normalized }) => normalized));
  return [...published.values()]
    .filter((entry) => entry.source === source && !there.has(entry.version_normalized))
    .map(({ version }) => ({ kind: 'only-here', name, version, because: null }));
}

export function onlyThere(name: string, version: string | null, because: string): Difference {
  return { kind: 'only-there', name, version, because };
}

function adviceFor(reason: string, registersSources: boolean): string {
  if (reason === 'dist-type') return ', and only ZIP archives are published';
  return reason === 'no-dist' && !registersSources ? '. Build it from its repository: --register-sources' : '';
}
