// Explains one package or one version: which source published it and when, or why it is not published. Reads only the
// tree, and needs no lock.

import type { PackageName } from '../contract/name.ts';
import { indexPath, publicationPath } from '../contract/paths.ts';
import { parsePublication, type Publication } from '../contract/publication.ts';
import { parseQuarantined, quarantinedPath, type QuarantinedVersion } from '../contract/quarantined.ts';
import { parsePackageIndex, type IndexEntry, type PackageIndex } from '../contract/serving-index.ts';
import { normalizeVersion, type NormalizedVersion, isDevVersion } from '../contract/version.ts';
import { parsePurged, purgedPath, type PurgedVersion } from '../contract/purged.ts';
import { parseWithheld, withheldPath, type WithheldVersion } from '../contract/withheld.ts';
import { listTreePackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { WhyAnswer, WhyVersion } from '../contract/why.ts';
import type { DescribedSource } from '../scan/configured.ts';
import { createFilter } from '../sources/filter.ts';
import type { FilterOptions } from '../sources/options.ts';

// Names the limits of libretto.json that exclude a package or a version. Each limit is evaluated separately. Pure.

interface ExcludedBy {
  /** location of the source with the limit */
  readonly source: string;
  /** the path of the option in libretto.json: `sources[0].except["acme/*"]` */
  readonly option: string;
  readonly value: string;
}

/** `version`: undefined for the package as a whole. */
function excludedBy(
  name: PackageName,
  version: NormalizedVersion | undefined,
  sources: readonly DescribedSource[],
): readonly ExcludedBy[] {
  return sources.flatMap(({ spec, options, where = 'sources' }) =>
    limitsOf(options)
      .flatMap(({ option, value, limit }) => {
        const filter = createFilter(limit);
        const admitted = version === undefined ? filter.admitsName(name) : filter.admits(name, version);
        return admitted ? [] : [{ source: spec.location, option: `${where}.${option}`, value }];
      })
      .concat(
        version === undefined
          ? []
          : refsNotRead(options, version).map(({ option, value }) => ({
              source: spec.location,
              option: `${where}.${option}`,
              value,
            })),
      ),
  );
}

interface Limit {
  readonly option: string;
  readonly value: string;
  readonly limit: FilterOptions;
}

function limitsOf({
  only,
  except = {},
  versions = {},
  'minimum-stability': stability,
  'minimum-stability-per-package': stabilities = {},
}: FilterOptions): readonly Limit[] {
  return [
    ...(only === undefined ? [] : [{ option: 'only', value: only.join(', '), limit: { only } }]),
    ...Object.entries(except).map(([pattern, value]) => ({
      option: `except[${JSON.stringify(pattern)}]`,
      value,
      limit: { except: { [pattern]: value } },
    })),
    ...Object.entries(versions).map(([pattern, value]) => ({
      option: `versions[${JSON.stringify(pattern)}]`,
      value,
      limit: { versions: { [pattern]: value } },
    })),
    ...(stability === undefined
      ? []
      : [
          {
            option: 'minimum-stability',
            value: stability,
            limit: { 'minimum-stability': stability, ...dev(stabilities) },
          },
        ]),
    ...Object.entries(stabilities).map(([name, value]) => ({
      option: `minimum-stability-per-package[${JSON.stringify(name)}]`,
      value,
      limit: { 'minimum-stability-per-package': { [name]: value } },
    })),
  ];
}

/** Lets the packages with a separate stability pass, for a test of `minimum-stability` alone. */
function dev(stabilities: NonNullable<FilterOptions['minimum-stability-per-package']>): FilterOptions {
  return { 'minimum-stability-per-package': Object.fromEntries(Object.keys(stabilities).map((name) => [name, 'dev'])) };
}

/** The tag or branch of the version is unknown, so any pattern of tags or branches may exclude it. */
function refsNotRead(
  { tags, branches }: DescribedSource['options'],
  version: NormalizedVersion,
): readonly { readonly option: string; readonly value: string }[] {
  const patterns = isDevVersion(version) ? branches : tags;
  return patterns === undefined
    ? []
    : [{ option: isDevVersion(version) ? 'branches' : 'tags', value: patterns.join(', ') }];
}

export interface WhyWithNames extends WhyAnswer {
  /** every package the tree knows, and every version of this one: for "did you mean" */
  readonly known: { readonly names: readonly string[]; readonly versions: readonly string[] };
}

export interface WhyQuestion {
  readonly dataDirectory: string;
  readonly name: PackageName;
  readonly version: string | undefined;
  /** the sources of libretto.json */
  readonly described: readonly DescribedSource[];
}

/** As `explain`, with all known names: listing them takes longer the more packages there are. */
export async function why(question: WhyQuestion): Promise<WhyWithNames> {
  const output = createDiskOutput(question.dataDirectory);
  const tree = await readTree(output, question.name);
  const { entries, quarantined } = tree;
  return {
    ...answer(question, tree),
    known: {
      names: [...new Set([...(await listTreePackages(output)), ...quarantined.flatMap((one) => one.name ?? [])])],
      versions: [...new Set(entries.map((entry) => entry.version))],
    },
  };
}

/** Throws BuildRefused if the tree of this package cannot be read, or is of a newer Libretto. */
export async function explain(question: WhyQuestion): Promise<WhyAnswer> {
  return answer(question, await readTree(createDiskOutput(question.dataDirectory), question.name));
}

function answer({ name, version, described }: WhyQuestion, tree: PackageTree): WhyAnswer {
  const normalized = version === undefined ? undefined : normalizeVersion(version);
  const isMeant = (label: string, other: string | undefined): boolean =>
    version === undefined || label === version || (normalized !== undefined && other === normalized);
  const { entries, quarantined } = tree;
  const versions = entries
    .filter((entry) => isMeant(entry.version, entry.version_normalized))
    .map((entry) => whyVersion(entry, tree));
  const published = versions.some(({ state }) => state === 'published');
  const leftOut = quarantined.filter(
    (one) =>
      one.name === name &&
      (version === undefined || (one.version !== null && isMeant(one.version, normalizeVersion(one.version)))),
  );
  const mayBe = (one: QuarantinedVersion): boolean => one.name === null || (one.name === name && one.version === null);
  return {
    name,
    version: version ?? null,
    published,
    versions,
    left_out: leftOut,
    unclear: published || leftOut.length > 0 ? [] : quarantined.filter(mayBe),
    excluded_by: published ? [] : excludedBy(name, normalized as NormalizedVersion | undefined, described),
    purged: tree.purged
      .filter((row) => isMeant(row.version, row.version_normalized))
      .map(({ version: label, reference, reason, since }) => ({ version: label, reference, reason, since })),
  };
}

/** The tree's data of one package with all its versions. */
interface PackageTree {
  readonly entries: readonly IndexEntry[];
  readonly withheld: readonly WithheldVersion[];
  readonly purged: readonly PurgedVersion[];
  /** of all packages; `source` is a location */
  readonly quarantined: readonly QuarantinedVersion[];
  /** id of a source → location */
  readonly locate: (id: string) => string;
}

async function readTree(output: Output, name: PackageName): Promise<PackageTree> {
  const index = await readIndex(output, name);
  const locate = locator(await readOwn(output, publicationPath, parsePublication));
  const withheld = (await readOwn(output, withheldPath, parseWithheld)) ?? [];
  const quarantined = (await readOwn(output, quarantinedPath, parseQuarantined)) ?? [];
  const purged = (await readOwn(output, purgedPath, parsePurged)) ?? [];
  return {
    entries: index?.versions ?? [],
    withheld: withheld.filter((one) => one.name === name),
    purged: purged.filter((row) => row.name === name),
    quarantined: quarantined.map((one) => ({ ...one, source: locate(one.source) })),
    locate,
  };
}

function whyVersion(entry: IndexEntry, { withheld, locate }: PackageTree): WhyVersion {
  const { version, state, since, reference, shasum, size, time, path, source, signed_by: signer } = entry;
  const byHand =
    state === 'withdrawn' ? withheld.find((one) => one.version_normalized === entry.version_normalized) : undefined;
  return {
    version,
    state: byHand === undefined ? state : 'withheld',
    since: byHand?.since ?? since,
    source: locate(source),
    reference,
    shasum,
    size,
    time,
    signed_by: signer ?? null,
    archive: path,
  };
}

/** A source that was forgotten is known by its id alone. */
function locator(publication: Publication | undefined): (id: string) => string {
  const locations = new Map(publication?.sources.map(({ id, location }) => [id, location]));
  return (id) => locations.get(id) ?? id;
}

async function readIndex(output: Output, name: PackageName): Promise<PackageIndex | undefined> {
  const index = await readOwn(output, indexPath(name), parsePackageIndex);
  if (index !== undefined || (await output.facts('index', indexPath(name))) === undefined) return index;
  throw new BuildRefused(
    `index/${indexPath(name)} is damaged, so the versions of ${name} are unknown. ` +
      '`libretto verify` names the repair.',
  );
}

/** undefined: missing or unreadable. */
async function readOwn<Found>(
  output: Output,
  path: string,
  parse: (text: string) => Found,
): Promise<Found | undefined> {
  const text = await output.read('index', path);
  return text === undefined ? undefined : parseOwnFile(`index/${path}`, () => parse(text));
}
