// How often the archives of a package were sent: by day, and by version.

import type { Child } from 'hono/jsx';
import { DayChart, everyDay, type DayCount } from '../../components/day-chart.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { packagePath, packageView, type OpenPackage, type PackagePageServices } from './open-package.ts';
import { sumOf } from '../../../packages/download-rows.ts';
import { PackageFrame } from './package-frame.tsx';

interface VersionCount {
  readonly version: string;
  /** downloads on the days of the chart, and in total */
  readonly recent: number;
  readonly total: number;
}

interface DownloadsProps {
  readonly opened: OpenPackage;
  readonly days: readonly DayCount[];
  /** the most downloaded version first */
  readonly versions: readonly VersionCount[];
  readonly total: number;
}

const shownDays = 90;
const maxVersions = 100;

export async function showDownloads(
  { downloads }: PackagePageServices,
  { nowMs }: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name } = opened;
  const [stored, totals, total] = await Promise.all([
    downloads.daysOf(name),
    downloads.versionTotals(name),
    downloads.totalOf(name),
  ]);
  const days = everyDay(
    stored.map(({ date, versions }) => ({ date, count: sumOf(versions) })),
    shownDays,
    nowMs,
  );
  const first = days[0]?.date ?? '';
  const recent = new Map<string, number>();
  for (const { date, versions } of stored)
    if (date >= first) for (const [version, count] of versions) recent.set(version, (recent.get(version) ?? 0) + count);
  const versions = [...(totals.get(name) ?? new Map<string, number>())]
    .map(([version, sum]) => ({ version, recent: recent.get(version) ?? 0, total: sum }))
    .toSorted((one, other) => other.total - one.total);
  return packageView(`Downloads of ${name}`, <DownloadsView {...{ opened, days, versions, total }} />);
}

function DownloadsView({ opened, days, versions, total }: DownloadsProps): Child {
  const left = versions.length - maxVersions;
  return (
    <PackageFrame opened={opened} tab="downloads">
      <section class="stack-tight">
        <h2>The last {shownDays} days</h2>
        {days.some(({ count }) => count > 0) ? (
          <DayChart days={days} unit="download" />
        ) : (
          <p class="soft">No downloads in these days.</p>
        )}
      </section>
      <section class="stack-tight">
        <h2>By version</h2>
        {total === 0 ? (
          <EmptyState icon="download" title="No downloads yet">
            The server counts each archive that it sends. Installs from Composer’s cache are not counted.
          </EmptyState>
        ) : (
          <>
            <p class="soft small">{formatCount(total, 'download')} in total.</p>
            <Table caption="Downloads by version" columns={columnsOf(opened)} rows={versions.slice(0, maxVersions)} />
            {left > 0 ? <p class="soft small">and {formatCount(left, 'version')} more</p> : null}
          </>
        )}
      </section>
    </PackageFrame>
  );
}

function columnsOf({ name, details }: OpenPackage): readonly Column<VersionCount>[] {
  const published = new Set(details.versions.map(({ entry }) => entry.version));
  return [
    {
      label: 'Version',
      cell: ({ version }) =>
        published.has(version) ? <A to={packagePath(name, 'version', { version })}>{version}</A> : version,
    },
    { label: `Last ${shownDays} days`, isNumber: true, cell: ({ recent }) => formatNumber(recent) },
    { label: 'In total', isNumber: true, cell: ({ total }) => formatNumber(total) },
  ];
}
