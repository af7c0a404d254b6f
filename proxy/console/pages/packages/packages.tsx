// The pages about packages.

import { countVisible, readCounts } from '../../../packages/visible-counts.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { PackagePageServices } from '../package/package-services.ts';
import { registerOnePackage } from '../package/package.tsx';
import { PackageList } from './list-page.tsx';
import { parseListQuery, selectRows, type ListedRow } from './list-query.ts';

export function registerPackagePages(pages: Pages, services: PackagePageServices): void {
  pages.page({ path: '/packages', operation: 'listPackages', show: (request) => showList(services, request) });
  registerOnePackage(pages, services);
}

async function showList(services: PackagePageServices, { query: given, nowMs }: PageRequest): Promise<PageView> {
  const query = parseListQuery(given);
  const [rows, damaged] = await Promise.all([readRows(services, nowMs), services.catalogue.unread(nowMs)]);
  const found = selectRows(rows, query);
  const types = [...new Set(rows.map(({ summary }) => summary.type))].toSorted();
  return {
    title: 'Packages',
    section: 'packages',
    content: (
      <PackageList
        {...{ query, found, types, nowMs }}
        total={rows.length}
        damaged={damaged.length}
        mirrors={services.mirrored !== undefined}
      />
    ),
  };
}

/** Sorted by name. */
async function readRows(
  { catalogue, downloads, advisories, mirrored }: PackagePageServices,
  nowMs: number,
): Promise<readonly ListedRow[]> {
  const [packages, counts, lists, foreign] = await Promise.all([
    catalogue.read(nowMs),
    readCounts(downloads, false),
    advisories.read(nowMs),
    mirrored?.read(nowMs),
  ]);
  const countOf = countVisible(counts, packages, undefined);
  const rowOf =
    (isMirrored: boolean) =>
    (summary: ListedRow['summary']): ListedRow => ({
      summary,
      isMirrored,
      downloads: countOf(summary.name),
      hasAdvisories: (lists.packages.get(summary.name)?.advisories.length ?? 0) > 0,
    });
  const own = [...packages.all.values()].map(rowOf(false));
  if (foreign === undefined || foreign.size === 0) return own;
  const others = [...foreign.values()].filter(({ name }) => !packages.all.has(name)).map(rowOf(true));
  return [...own, ...others].toSorted((a, b) => (a.summary.name < b.summary.name ? -1 : 1));
}
