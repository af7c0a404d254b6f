// The pages about packages.

import { advisoriesOf } from '../../../../build/contract/advisory-lists.ts';
import { filterOf, type View } from '../../../core/views/view.ts';
import { countVisible, readCounts } from '../../../packages/visible-counts.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { isAdvised } from '../package/advised-versions.ts';
import type { PackagePageServices } from '../package/package-services.ts';
import { registerOnePackage } from '../package/package.tsx';
import { PackageList } from './list-page.tsx';
import {
  parseListQuery,
  rowsPerPage,
  selectPackages,
  type ListedRow,
  type ListFacts,
  type ListQuery,
} from './list-query.ts';
import { createListPackages, type ListPackages } from './listed-packages.ts';

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
    findRows(services, listPackages, query, { nowMs, view: caller?.view }),
    services.catalogue.unread(nowMs),
  ]);
  return {
    title: 'Packages',
    section: 'packages',
    content: (
      <PackageList
        {...{ ...found, query, nowMs }}
        damaged={damaged.filter((name) => filterOf(caller?.view, name) !== 'none').length}
        mirrors={services.mirrored !== undefined}
        mayAdd={may('createRepository')}
        patterns={caller?.view?.patterns}
      />
    ),
  };
}

interface FoundRows {
  /** of the page that the query asks for */
  readonly rows: readonly ListedRow[];
  /** the number of packages that the query finds */
  readonly found: number;
  readonly total: number;
  readonly types: readonly string[];
}

async function findRows(
  { catalogue, downloads, advisories, mirrored }: PackagePageServices,
  listPackages: ListPackages,
  query: ListQuery,
  { nowMs, view }: { readonly nowMs: number; readonly view: View | undefined },
): Promise<FoundRows> {
  const [packages, counts, lists, foreign] = await Promise.all([
    catalogue.read(nowMs, view),
    query.order === 'downloads' ? readCounts(downloads, view !== undefined) : undefined,
    advisories.read(nowMs),
    mirrored?.read(nowMs, view),
  ]);
  // the list of everybody is remembered, and those of views are short
  const { all, types } = (view === undefined ? listPackages : createListPackages())(packages.all, foreign);
  const facts: ListFacts = {
    downloadsOf: counts === undefined ? () => 0 : countVisible(counts, packages, view),
    hasAdvisories: (name) => (lists.packages.get(name)?.advisories.length ?? 0) > 0,
  };
  const found = selectPackages(all, query, facts);
  const from = (query.page - 1) * rowsPerPage;
  const shown = found.slice(from, from + rowsPerPage);
  const rows = shown.map(async (one) => ({
    ...one,
    // the totals of all packages are only needed for the order by downloads
    downloads: await downloads.totalOf(one.summary.name),
    hasAdvisories: facts.hasAdvisories(one.summary.name),
    isLatestAdvised: isAdvised(advisoriesOf(lists, one.summary.name), one.summary.latest_version),
  }));
  return { rows: await Promise.all(rows), found: found.length, total: all.length, types };
}
