// The packages of a repository on its page: what its syncs have published.

import type { Child } from 'hono/jsx';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import { A, MainLink } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { packagePath } from '../package/open-package.ts';
import { VersionLink } from '../package/version-link.tsx';

const mostShown = 50;

interface RepositoryPackagesProps {
  /** by name */
  readonly packages: readonly PackageSummary[];
}

export function RepositoryPackages({ packages }: RepositoryPackagesProps): Child {
  const left = packages.length - mostShown;
  return (
    <section class="stack">
      <h2>Packages</h2>
      {packages.length === 0 ? <p class="soft">No version of it is published.</p> : null}
      {packages.length === 0 ? null : (
        <Table caption="Packages" columns={columns} rows={packages.slice(0, mostShown)} />
      )}
      {left > 0 ? <p class="soft">{`and ${formatCount(left, 'further package')}`}</p> : null}
    </section>
  );
}

const columns: readonly Column<PackageSummary>[] = [
  {
    label: 'Package',
    cell: ({ name }) => <MainLink to={packagePath(name)} text={name} />,
  },
  { label: 'Latest', cell: ({ name, latest_version: version }) => <VersionLink {...{ name, version }} /> },
  {
    label: 'Versions',
    cell: ({ name, versions }) => <A to={packagePath(name, 'versions')}>{formatCount(versions, 'version')}</A>,
  },
  { label: 'Published', cell: ({ updated_at: at }) => <Time at={at} /> },
];
