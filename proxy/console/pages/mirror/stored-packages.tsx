// The stored packages: where each is from, what of it is offered and held back, and the archives that are kept.

import type { Child } from 'hono/jsx';
import type { FirstReading, StoredPackage } from '../../../mirror/stored-package-reader.ts';
import type { StoredArchives } from '../../../mirror/mirror-report.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { StillReading } from '../../components/still-reading.tsx';
import { Pager } from '../../components/pager.tsx';
import { MainLink } from '../../components/place.tsx';
import { formatCount, formatBytes, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { WithMalware } from '../../../usage/read-exposures.ts';
import { MalwareIn } from '../package/concerns.tsx';
import { heldBackPhrase } from '../package/held-back-words.ts';
import { mirrorPath, packagesPerPage, type MirrorQuery } from './mirror-query.ts';

export interface StoredRow extends StoredPackage, WithMalware {
  readonly archives: StoredArchives;
}

export interface StoredPackagesProps {
  readonly query: MirrorQuery;
  /** of this page */
  readonly rows: readonly StoredRow[];
  /** all that the query finds */
  readonly found: number;
  readonly total: number;
  readonly reading: FirstReading | undefined;
}

export function StoredPackages({ query, rows, found, total, reading }: StoredPackagesProps): Child {
  return (
    <section class="stack">
      <h2>Stored packages</h2>
      <StillReading reading={reading} />
      {total === 0 ? null : <Filters query={query} />}
      <div id="results" class="stack">
        <p class="soft small" role="status">
          {found === total
            ? formatCount(total, 'package')
            : `${formatCount(found, 'package')} of ${formatNumber(total)}`}
        </p>
        {rows.length === 0 ? (
          <NoRows total={total} />
        ) : (
          <Table caption="Stored packages" columns={columns} rows={rows} />
        )}
        <Pager
          shown={rows.length}
          from={(query.page - 1) * packagesPerPage}
          total={found}
          perPage={packagesPerPage}
          pathOf={(page) => mirrorPath({ ...query, page })}
        />
      </div>
    </section>
  );
}

function Filters({ query: { words, isHeldBack } }: { readonly query: MirrorQuery }): Child {
  return (
    <form class="filters" data-live>
      <WordsFilter value={words} placeholder="Name" />
      <ChoiceFilter name="show" label="Show" value={isHeldBack ? 'held-back' : ''} choices={shown} />
      <button class="button">Search</button>
    </form>
  );
}

const shown = [
  { value: '', label: 'all' },
  { value: 'held-back', label: 'held back' },
];

function NoRows({ total }: { readonly total: number }): Child {
  if (total === 0)
    return (
      <EmptyState icon="layers" title="No package is stored yet">
        A package is stored when Composer asks for it. <code>libretto mirror warm composer.lock</code> fetches all of a
        project in advance.
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title="No package fits" action={<ButtonLink to="/mirror" label="Show all packages" />}>
      Try another part of the name.
    </EmptyState>
  );
}

const columns: readonly Column<StoredRow>[] = [
  {
    label: 'Package',
    cell: ({ name, malware }) => (
      <span class="row">
        <MainLink to={`/mirror/${name}`} text={name} />
        <MalwareIn {...{ malware }} />
      </span>
    ),
  },
  {
    label: 'Registry',
    cell: ({ registry }) => <span class="breaks soft">{registry ?? 'only archives are stored'}</span>,
  },
  { label: 'Versions', isNumber: true, cell: ({ summary }) => formatNumber(summary?.versions ?? 0) },
  { label: 'Held back', cell: ({ heldBack }) => heldBack.map(heldBackPhrase).join(', ') },
  { label: 'Archives', isNumber: true, cell: ({ archives }) => formatNumber(archives.records.length) },
  {
    label: 'Size',
    isNumber: true,
    cell: ({ archives }) => <span class="nowrap">{formatBytes(sizeOf(archives))}</span>,
  },
];

/** Bytes. */
export function sizeOf({ records }: StoredArchives): number {
  return records.reduce((sum, { size }) => sum + size, 0);
}
