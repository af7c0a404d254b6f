// The packages of a repository on its page: what its syncs have published.

import type { Child } from 'hono/jsx';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { packagePath } from '../package/open-package.ts';
import { VersionLink } from '../package/version-link.tsx';

const mostShown = 50;

interface RepositoryPackagesProps {
  /** by name */
  readonly packages: readonly PackageSummary[];
  /** true: its packages are mirrored, not published */
  readonly isMirrored: boolean;
  readonly nowMs: number;
}

export function RepositoryPackages({ packages, isMirrored, nowMs }: RepositoryPackagesProps): Child {
  if (isMirrored)
    return (
      <p>
        Clients get its packages from the <A to="/mirror">mirror</A>, each with its first request.
      </p>
    );
  if (packages.length === 0)
    return (
      <EmptyState icon="package" title="No package yet">
        A sync publishes the packages that it finds.
      </EmptyState>
    );
  return (
    <section class="stack">
      <h2>
        {packages.length <= mostShown
          ? 'Packages'
          : `The first ${mostShown} of ${formatNumber(packages.length)} packages`}
      </h2>
      <Table caption="Packages" columns={columnsOf(nowMs)} rows={packages.slice(0, mostShown)} />
    </section>
  );
}

function columnsOf(nowMs: number): readonly Column<PackageSummary>[] {
  return [
    {
      label: 'Package',
      cell: ({ name }) => (
        <A to={packagePath(name)} class="main-link">
          {name}
        </A>
      ),
    },
    { label: 'Latest', cell: ({ name, latest_version: version }) => <VersionLink {...{ name, version }} /> },
    {
      label: 'Versions',
      cell: ({ name, versions }) => <A to={packagePath(name, 'versions')}>{formatCount(versions, 'version')}</A>,
    },
    { label: 'Published', cell: ({ updated_at: at }) => <Time at={at} nowMs={nowMs} /> },
  ];
}
