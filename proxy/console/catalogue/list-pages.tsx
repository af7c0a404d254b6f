// The list of all packages in the catalogue, in pages of fifty. With JavaScript one finds packages as one types, in all
// pages at once. Pure.

import type { Child } from 'hono/jsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Pager } from '../components/pager.tsx';
import { formatCount } from '../components/quantity.ts';
import { Table } from '../components/table.tsx';
import { AbandonedBadge, AdvisoryBadge, listColumns, type PublishedRow } from '../pages/packages/list-columns.tsx';
import { rowsPerPage } from '../pages/packages/list-query.ts';
import type { CataloguePage } from './render-page.tsx';

export interface CatalogueList {
  /** all packages, sorted by name */
  readonly rows: readonly PublishedRow[];
  /** of the registry; undefined: not configured */
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** RFC 3339 */
  readonly publishedAt: string;
}

/** At least one page. */
export function listPages(list: CatalogueList): readonly CataloguePage[] {
  const count = Math.max(1, Math.ceil(list.rows.length / rowsPerPage));
  return Array.from({ length: count }, (_, at) => ({
    path: pathOf(at + 1),
    title: list.name ?? 'Packages',
    content: <List list={list} page={at + 1} />,
    publishedAt: list.publishedAt,
    scripts: ['search.js'],
  }));
}

/** `page`: from 1 */
function pathOf(page: number): string {
  return page === 1 ? '/packages' : `/packages?page=${page}`;
}

function List({ list, page }: { readonly list: CatalogueList; readonly page: number }): Child {
  const { rows, name, description } = list;
  const { name: nameColumn, latest, type, published } = listColumns(undefined);
  const from = (page - 1) * rowsPerPage;
  const shown = rows.slice(from, from + rowsPerPage);
  return (
    <>
      <PageHead
        title={name ?? 'Packages'}
        sentence={description ?? 'Everything that Composer can install from this registry.'}
      />
      <template id="badges">
        <AbandonedBadge />
        <AdvisoryBadge isLatest />
        <AdvisoryBadge isLatest={false} />
      </template>
      <div id="results" class="stack">
        <p class="soft small" role="status">
          {formatCount(rows.length, 'package')}
        </p>
        {rows.length === 0 ? (
          <EmptyState icon="package" title="No packages yet">
            The registry has not published any package.
          </EmptyState>
        ) : (
          <Table caption="Packages" columns={[nameColumn, latest, type, published]} rows={shown} />
        )}
        <Pager shown={shown.length} from={from} total={rows.length} perPage={rowsPerPage} pathOf={pathOf} />
      </div>
    </>
  );
}
