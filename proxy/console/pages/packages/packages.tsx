// The pages about packages.

import { advisoriesOf, type PackageAdvisories } from '../../../../build/contract/advisory-lists.ts';
import { filterOf, type View } from '../../../core/views/view.ts';
import { undefinedIfUnusable } from '../../../policy/admin/package-standing.ts';
import { readPublishedPackage } from '../../../packages/published-package.ts';
import { countVisible, readCounts } from '../../../packages/visible-counts.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { exposedByPackage, malwareAmong } from '../../../usage/read-exposures.ts';
import { isAdvised } from '../package/advised-versions.ts';
import { blockOfAll, latestOffered } from '../package/blocked-releases.tsx';
import { malwareIn } from '../package/concerns.tsx';
import type { PackagePageServices } from '../package/open-package.ts';
import { wholeBlock } from '../package/mirrored-page.tsx';
import { registerOnePackage } from '../package/package.tsx';
import { PackageList } from './list-page.tsx';
import {
  parseListQuery,
  rowsPerPage,
  selectPackages,
  type PackageRow,
  type ListFacts,
  type ListQuery,
  type PackageEntry,
} from './list-query.ts';
import type { MirroredSummaries } from '../../../mirror/stored-package-reader.ts';
import type { PublishedPackages } from '../../../packages/catalogue.ts';
import { summaryAt, type PackageSummary } from '../../../packages/package-summary.ts';

export function registerPackagePages(pages: Pages, services: PackagePageServices): void {
  const listPackages = createListPackages();
  pages.page({
    path: '/packages',
    operation: 'listPackages',
    show: (request) => showList(services, listPackages, request),
  });
  registerOnePackage(pages, services);
}

async function showList(
  services: PackagePageServices,
  listPackages: ListPackages,
  { query: given, nowMs, may, caller }: PageRequest,
): Promise<PageView> {
  const query = parseListQuery(given);
  const [found, damaged] = await Promise.all([
    searchRows(services, listPackages, query, { nowMs, view: caller?.view }),
    services.catalogue.unread(nowMs),
  ]);
  return {
    title: 'Packages',
    section: 'packages',
    content: (
      <PackageList
        {...{ ...found, query }}
        damaged={damaged.filter((name) => filterOf(caller?.view, name) !== 'none').length}
        mirrors={services.mirrored !== undefined}
        reading={await services.mirrored?.firstReading()}
        mayAdd={may('createRepository')}
        patterns={caller?.view?.patterns}
      />
    ),
  };
}

interface SearchResult {
  /** of the page that the query asks for */
  readonly rows: readonly PackageRow[];
  /** the number of packages that the query finds */
  readonly found: number;
  readonly total: number;
  readonly types: readonly string[];
}

async function searchRows(
  services: PackagePageServices,
  listPackages: ListPackages,
  query: ListQuery,
  { nowMs, view }: { readonly nowMs: number; readonly view: View | undefined },
): Promise<SearchResult> {
  const { catalogue, downloads, advisories, mirrored, policyAdmin } = services;
  const [packages, counts, lists, foreign, exposed] = await Promise.all([
    catalogue.read(nowMs, view),
    query.order === 'downloads' ? readCounts(downloads, view !== undefined) : undefined,
    advisories.read(nowMs),
    mirrored?.read(nowMs, view),
    exposedByPackage({ policyAdmin }, view),
  ]);
  // the list of everybody is remembered, and those of views are short
  const { all, types } = (view === undefined ? listPackages : createListPackages())(packages.all, foreign);
  const facts: ListFacts = {
    downloadsOf: counts === undefined ? () => 0 : countVisible(counts, packages, view),
    hasAdvisories: (name) => exposed.has(name) || (lists.packages.get(name)?.advisories.length ?? 0) > 0,
  };
  const found = selectPackages(all, query, facts);
  const from = (query.page - 1) * rowsPerPage;
  const shown = found.slice(from, from + rowsPerPage);
  const rows = shown.map(async (one) => {
    const { name } = one.summary;
    return {
      ...(await withLatest(services, one, advisoriesOf(lists, name), exposed.get(name) ?? [], { nowMs, view })),
      // the totals of all packages are only needed for the order by downloads
      downloads: await downloads.totalOf(name),
      hasAdvisories: facts.hasAdvisories(name),
    };
  });
  return { rows: await Promise.all(rows), found: found.length, total: all.length, types };
}

async function withLatest(
  services: PackagePageServices,
  one: PackageEntry,
  advisories: PackageAdvisories,
  concerned: NonNullable<PackageRow['malware']>,
  reading: { readonly nowMs: number; readonly view: View | undefined },
): Promise<Omit<PackageRow, 'downloads' | 'hasAdvisories'>> {
  const known = { malware: malwareAmong(concerned), advisories };
  const { summary, block } = await latestIn(services, one, known, reading);
  const { latest_version: latest } = summary;
  const isLatestAdvised = isAdvised(advisories, latest) || concerned.some(({ version }) => version === latest);
  return { ...one, summary, block, malware: known.malware, isLatestAdvised };
}

/** The summary at the latest version that people get; `block`: they get none. Of a damaged package nothing is found. */
async function latestIn(
  { mirrored, published, policyAdmin }: PackagePageServices,
  { summary, isMirrored }: PackageEntry,
  known: Parameters<typeof latestOffered>[2],
  { nowMs, view }: { readonly nowMs: number; readonly view: View | undefined },
): Promise<Pick<PackageRow, 'summary' | 'block'>> {
  const { name, latest_version: version } = summary;
  if (isMirrored) {
    const offered = mirrored?.offered(name) ?? [];
    if (offered.length === 0) return { summary, block: wholeBlock(offered, await policyAdmin.standing(name)) };
    const clean = malwareIn(known, version) ? offered.find((one) => !malwareIn(known, one.version)) : undefined;
    return { summary: clean === undefined ? summary : { ...summary, latest_version: clean.version } };
  }
  const blockOf = await policyAdmin.blockedIn(summary, nowMs);
  if (!malwareIn(known, version) && blockOf({ entry: { version } }) === undefined) return { summary };
  const versions = await readPublishedPackage(published, name, view).catch(undefinedIfUnusable);
  if (versions === undefined) return { summary };
  const latest = latestOffered(versions, blockOf, known);
  return latest === undefined
    ? { summary, block: blockOfAll(versions, blockOf) }
    : { summary: summaryAt(summary, latest) };
}

// The packages that the list shows, own and mirrored, put together once for each publication and not for each request.

interface PackageEntries {
  /** sorted by name */
  readonly all: readonly PackageEntry[];
  /** the types that occur, sorted */
  readonly types: readonly string[];
}

/** Returns the same object as long as both catalogues return the same packages. */
type ListPackages = (published: PublishedPackages['all'], mirrored: MirroredSummaries | undefined) => PackageEntries;

function createListPackages(): ListPackages {
  let last: { readonly of: Parameters<ListPackages>; readonly listed: PackageEntries } | undefined;
  return (published, mirrored) => {
    if (last === undefined || last.of[0] !== published || last.of[1] !== mirrored)
      last = { of: [published, mirrored], listed: mergeEntries(published, mirrored) };
    return last.listed;
  };
}

/** An own package precedes a mirrored one of the same name. */
function mergeEntries(...[published, mirrored = new Map()]: Parameters<ListPackages>): PackageEntries {
  const own = [...published.values()].map((summary) => ({ summary, isMirrored: false }));
  const others = [...mirrored.values()]
    .filter(({ name }: PackageSummary) => !published.has(name))
    .map((summary: PackageSummary) => ({ summary, isMirrored: true }));
  const all = others.length === 0 ? own : [...own, ...others].toSorted(byName);
  return { all, types: [...new Set(all.map(({ summary }) => summary.type))].toSorted() };
}

function byName(one: PackageEntry, other: PackageEntry): number {
  return one.summary.name < other.summary.name ? -1 : 1;
}
