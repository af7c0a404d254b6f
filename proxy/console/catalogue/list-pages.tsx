// The list of all packages in the catalogue, in pages of fifty. The first page begins with what is new, the vendors and
// what most packages require. With JavaScript one finds packages as one types, in all pages at once. Pure.

import type { Child } from 'hono/jsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead, A } from '../components/place.tsx';
import { Pager } from '../components/pager.tsx';
import { formatCount, Time } from '../components/values.tsx';
import { Table } from '../components/table.tsx';
import { AdvisoryBadge } from '../pages/package/concerns.tsx';
import { AbandonedBadge, listColumns, type PublishedRow } from '../pages/packages/list-columns.tsx';
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
  const { name: nameColumn, latest, type, published } = listColumns;
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
        <AdvisoryBadge isLatest isMalware />
        <AdvisoryBadge isLatest={false} isMalware />
      </template>
      <div id="results" class="stack">
        {page === 1 && rows.length > mostLeaders ? <Leaders rows={rows} /> : null}
        <p id="list" class="soft small" role="status">
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

/** In each panel. Fewer packages are seen at a glance. */
const mostLeaders = 6;

function Leaders({ rows }: Pick<CatalogueList, 'rows'>): Child {
  const packages = rows.map(({ summary }) => summary);
  const names = new Set<string>(packages.map(({ name }) => name));
  const newest = rows
    .filter(({ isMalware, isLatestAdvised }) => !(isMalware && isLatestAdvised))
    .map(({ summary }) => summary)
    .toSorted((one, other) => Number(one.updated_at < other.updated_at) - Number(one.updated_at > other.updated_at));
  const vendors = packages.map(({ name }) => name.replace(/\/.*/, ''));
  const required = packages.flatMap(({ requires }) => [...requires].filter((name) => names.has(name)));
  // names are sorted: the first page with packages of the vendor
  const pageOf = (vendor: string): string => `${pathOf(1 + Math.floor(vendors.indexOf(vendor) / rowsPerPage))}#list`;
  return (
    <div class="tiles">
      <Panel
        title="New"
        entries={newest.slice(0, mostLeaders).map(({ name, latest_version: version, updated_at: at }) => ({
          name: `${name} ${version}`,
          to: `/packages/${name}`,
          note: <Time at={at} />,
        }))}
      />
      <Panel title="Vendors" entries={mostFrequent(vendors, pageOf)} />
      <Panel title="Required by most" entries={mostFrequent(required, (name) => `/packages/${name}`)} />
    </div>
  );
}

function mostFrequent(names: readonly string[], pathOfName: (name: string) => string): Entries {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, mostLeaders)
    .map(([name, count]) => ({ name, to: pathOfName(name), note: formatCount(count, 'package') }));
}

type Entries = readonly { readonly name: string; readonly to: string; readonly note: Child }[];

function Panel({ title, entries }: { readonly title: string; readonly entries: Entries }): Child {
  return entries.length === 0 ? null : (
    <section class="panel">
      <h2>{title}</h2>
      <ul class="plain">
        {entries.map(({ name, to, note }) => (
          <li class="row">
            <A to={to}>{name}</A> <span class="soft small row-end">{note}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
