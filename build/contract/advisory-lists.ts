// The security advisories and filter lists (Composer ≥ 2.10, for example `malware`), which prevent the installation of
// bad packages. The entries of a package are at the top of the package's documents. The entries of all packages are in
// `index/_safety.json`, for requests of `composer audit`.

import { withChecksum } from './checksum.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { parsePackageName, type PackageName } from './name.ts';
import { refuseNewer } from './newer-format.ts';

export const advisoryListsFormat = 1;

/** Below `index/`. */
export const advisoryListsPath = '_safety.json';

/**
 * A complete advisory in Composer's form (SecurityAdvisory.php), with any further keys. A partial one would make
 * `composer audit` fail.
 */
export interface Advisory extends JsonObject {
  readonly advisoryId: string;
  readonly packageName: string;
  /** a constraint */
  readonly affectedVersions: string;
  readonly title: string;
  readonly reportedAt: string;
  readonly sources: readonly ({ readonly name: string; readonly remoteId: string } & JsonObject)[];
}

/** Versions of a package that a list keeps from being installed. */
export interface FilterEntry extends JsonObject {
  readonly constraint: string;
}

export interface PackageAdvisories {
  readonly advisories: readonly Advisory[];
  /** list name → entries */
  readonly filter: Readonly<Record<string, readonly FilterEntry[]>>;
}

export interface AdvisoryLists {
  /** true if advisories are configured, even as an empty list: packages.json then announces them */
  readonly advised: boolean;
  /** names of the filter lists, sorted */
  readonly filters: readonly string[];
  readonly packages: ReadonlyMap<PackageName, PackageAdvisories>;
}

export const noAdvisories: AdvisoryLists = { advised: false, filters: [], packages: new Map() };

const nothing: PackageAdvisories = { advisories: [], filter: {} };

export function advisoriesOf(lists: AdvisoryLists, name: PackageName): PackageAdvisories {
  return lists.packages.get(name) ?? nothing;
}

/** The keys at the top of a package's documents, next to `packages`. */
export function advisoryKeys({ advisories, filter }: PackageAdvisories): JsonObject {
  return {
    ...(advisories.length === 0 ? {} : { 'security-advisories': advisories }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
}

/**
 * The keys of packages.json about advisories and filter lists: Composer then reads them from the documents
 * (ComposerRepository.php:1543, :816).
 */
export function advisoryRootKeys({ advised, filters }: AdvisoryLists): JsonObject {
  return {
    ...(advised ? { 'security-advisories': { metadata: true } } : {}),
    ...(filters.length === 0
      ? {}
      : { filter: { metadata: true, lists: Object.fromEntries(filters.map((name) => [name, { enabled: true }])) } }),
  };
}

/** Canonical bytes: equal lists give equal text, in any order of their entries. */
export function formatAdvisoryLists({ advised, filters, packages }: AdvisoryLists): string {
  const sorted = [...packages].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return withChecksum(
    JSON.stringify({ format: advisoryListsFormat, advised, filters, packages: Object.fromEntries(sorted) }, null, 1),
  );
}

/** `advised`: the number of packages that the announcement names, for a file that is lost. */
export function describeLostAdvisories(advised: number): string {
  const packages = advised === 1 ? '1 package' : `${advised} packages`;
  return `The file of advisories and filter lists is lost: the last publication had one that names ${packages}.`;
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parseAdvisoryLists(text: string): AdvisoryLists {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], advisoryListsFormat);
  const { format, advised, filters, packages } = json;
  if (
    format !== advisoryListsFormat ||
    typeof advised !== 'boolean' ||
    !Array.isArray(filters) ||
    !isJsonObject(packages)
  )
    throw new Error('format, advised, filters or packages is malformed');
  return {
    advised,
    filters: filters.map(String),
    packages: new Map(Object.entries(packages).map(([name, value]) => parsePackage(name, value))),
  };
}

function parsePackage(given: string, value: unknown): readonly [PackageName, PackageAdvisories] {
  const name = parsePackageName(given);
  if (
    name === undefined ||
    !isJsonObject(value) ||
    !Array.isArray(value['advisories']) ||
    !isJsonObject(value['filter'])
  )
    throw new Error(`what it says of ${JSON.stringify(given)} is malformed`);
  const filter = Object.entries(value['filter']).map(([list, entries]) => {
    if (
      !Array.isArray(entries) ||
      !entries.every((entry) => isJsonObject(entry) && typeof entry['constraint'] === 'string')
    )
      throw new Error(`the list ${list} of ${name} is malformed`);
    return [list, entries as readonly FilterEntry[]] as const;
  });
  if (
    !value['advisories'].every((advisory) => isJsonObject(advisory) && typeof advisory['affectedVersions'] === 'string')
  )
    throw new Error(`an advisory of ${name} is malformed`);
  return [name, { advisories: value['advisories'] as readonly Advisory[], filter: Object.fromEntries(filter) }];
}
