// The list of packages: search as one types, filters, sorting, pages of fifty.

import type { Child } from 'hono/jsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { FirstReading } from '../../../mirror/stored-package-reader.ts';
import { ButtonLink, type Choice } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { StillReading } from '../../components/still-reading.tsx';
import { PageHead } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { listColumns } from './list-columns.tsx';
import { listPath, rowsPerPage, type PackageRow, type ListQuery, type ListOrder } from './list-query.ts';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';

export interface PackageListProps {
  readonly query: ListQuery;
  /** those of the page that the query asks for */
  readonly rows: readonly PackageRow[];
  /** the number of packages that the query found */
  readonly found: number;
  /** the number of packages without any filter */
  readonly total: number;
  readonly types: readonly string[];
  /** packages whose files are missing or damaged */
  readonly damaged: number;
  /** true: packages of other registries are listed too */
  readonly mirrors: boolean;
  readonly reading: FirstReading | undefined;
  /** true: the visitor may add a repository */
  readonly mayAdd: boolean;
  /** the patterns of the packages that the visitor sees; undefined: all packages */
  readonly patterns: readonly string[] | undefined;
}

export function PackageList(props: PackageListProps): Child {
  const { query, total, types, damaged, mirrors, reading, mayAdd, patterns } = props;
  return (
    <>
      <PageHead title="Packages" sentence="Everything that Composer can install from this registry." />
      {damaged === 0 ? null : (
        <Notice kind="warn">
          {formatCount(damaged, 'package')} cannot be read, because a file is missing or damaged.{' '}
          <code>libretto verify</code> names the repair.
        </Notice>
      )}
      <StillReading reading={reading} />
      {total === 0 ? (
        <NoPackages {...{ mayAdd, patterns }} />
      ) : (
        <ListFilters query={query} types={types} mirrors={mirrors} />
      )}
      <Results {...props} />
    </>
  );
}

function Results({ query, rows, found, total }: PackageListProps): Child {
  if (total === 0) return null;
  return (
    <div id="results" class="stack">
      <p class="soft small" role="status">
        {found === total ? formatCount(total, 'package') : `${formatCount(found, 'package')} of ${formatNumber(total)}`}
      </p>
      {rows.length === 0 ? (
        <EmptyState
          icon="search"
          title="No package fits"
          action={<ButtonLink to="/packages" label="Show all packages" />}
        >
          Try fewer words, or remove a filter.
        </EmptyState>
      ) : (
        <Table caption="Packages" columns={columnsOf(query)} rows={rows} />
      )}
      <Pager
        shown={rows.length}
        from={(query.page - 1) * rowsPerPage}
        total={found}
        pathOf={(page) => listPath({ ...query, page })}
        perPage={rowsPerPage}
      />
    </div>
  );
}

function columnsOf(query: ListQuery): readonly Column<PackageRow>[] {
  const sorting = (order: ListOrder) => ({
    sortsTo: listPath({ ...query, order, page: 1 }),
    ...(query.order === order ? { sorted: order === 'name' ? ('ascending' as const) : ('descending' as const) } : {}),
  });
  const { name, latest, type, published } = listColumns;
  return [
    { ...name, ...sorting('name') },
    latest,
    type,
    { ...published, ...sorting('updated') },
    { label: 'Downloads', isNumber: true, cell: ({ downloads }) => formatNumber(downloads), ...sorting('downloads') },
  ];
}

function NoPackages({ mayAdd, patterns }: Pick<PackageListProps, 'mayAdd' | 'patterns'>): Child {
  if (patterns !== undefined)
    return (
      <EmptyState icon="package" title="No packages for you yet">
        {patterns.length === 0
          ? 'You are in no team, and people see the packages of their teams here. Ask an admin to add you to one.'
          : `You see the packages of your teams (${patterns.join(', ')}), and none of them is published yet.`}
      </EmptyState>
    );
  if (!mayAdd)
    return (
      <EmptyState icon="package" title="No packages yet">
        A maintainer can add a git repository or upload a ZIP. Its packages then appear here.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="package"
      title="No packages yet"
      action={<ButtonLink to="/repositories/new" kind="primary" icon="plus" label="Add a repository" />}
    >
      Add a git repository, upload a ZIP, or run <code>libretto build</code> on the server.
    </EmptyState>
  );
}

// The words and filters above the list of packages.

interface ListFiltersProps {
  readonly query: ListQuery;
  readonly types: readonly string[];
  /** true: packages of other registries are listed too */
  readonly mirrors: boolean;
}

const any: Choice = { value: '', label: 'any' };
const stabilityChoices: readonly Choice[] = [
  any,
  { value: 'stable', label: 'has a stable version' },
  { value: 'dev', label: 'only unstable versions' },
];
const stateChoices: readonly Choice[] = [
  any,
  { value: 'advisory', label: 'has an advisory' },
  { value: 'abandoned', label: 'abandoned' },
];
const originChoices: readonly Choice[] = [
  any,
  { value: 'private', label: 'published here' },
  { value: 'mirrored', label: 'mirrored' },
];

function ListFilters({ query, types, mirrors }: ListFiltersProps): Child {
  const { type, stability, state, origin } = query;
  return (
    <form class="filters" data-live>
      <WordsFilter value={query.words} placeholder="Name or keyword" />
      <ChoiceFilter
        name="type"
        label="Type"
        value={type}
        choices={[any, ...types.map((one) => ({ value: one, label: one }))]}
      />
      <ChoiceFilter name="stability" label="Stability" value={stability} choices={stabilityChoices} />
      <ChoiceFilter name="state" label="State" value={state} choices={stateChoices} />
      {mirrors ? <ChoiceFilter name="origin" label="Origin" value={origin} choices={originChoices} /> : null}
      {query.order === 'name' ? null : <input type="hidden" name="sort" value={query.order} />}
      <button class="button">Search</button>
    </form>
  );
}
