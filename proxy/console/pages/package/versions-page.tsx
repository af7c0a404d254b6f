// The versions of a package: releases, branches, withdrawn ones, and those that were left out with the reason.

import { commitLink } from '../../../packages/source-pages.ts';
import type { Child } from 'hono/jsx';
import type { QuarantinedVersion } from '../../../../build/contract/quarantined.ts';
import { readWithdrawal } from '../../../packages/withdrawals.ts';
import { Notice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { nameActor } from '../name-actor.ts';
import { warningOf } from './advised-versions.ts';
import { malwareIn } from './concerns.tsx';
import { sourceOf, type OpenPackage, packagePath, packageView, type PackagePageServices } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';
import { consoleColumns } from './version-actions.tsx';
import { versionColumns, type VersionTableRow } from './version-columns.tsx';
import { versionKinds, versionRows, type VersionKind, type VersionRow } from './version-rows.ts';
import { readCauses } from './withdrawal-causes.tsx';

interface VersionsProps {
  readonly opened: OpenPackage;
  readonly query: VersionsQuery;
  /** all versions */
  readonly rows: readonly VersionRow[];
  /** the number of versions that the query asks for, and those of its page */
  readonly wanted: number;
  readonly shown: readonly VersionTableRow[];
  readonly request: SignedInRequest;
}

export async function showVersions(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name, details } = opened;
  const query = parseVersionsQuery(request.query);
  const totals = await services.downloads.versionTotals(name);
  const rows = versionRows({
    published: details.versions,
    known: opened.explanation?.versions ?? [],
    downloads: totals.get(name) ?? new Map(),
  });
  const wanted = rows.filter(({ kind }) => query.kind === '' || kind === query.kind);
  const from = (query.page - 1) * versionsPerPage;
  const page = wanted.slice(from, from + versionsPerPage);
  const causeOf = await readCauses(
    services,
    name,
    page.filter(({ kind, isByHand }) => kind === 'withdrawn' && !isByHand),
  );
  const shown = await Promise.all(
    page.map(async (row) => ({ ...(await complete(services, request, opened, row)), cause: causeOf(row) })),
  );
  return packageView(
    `Versions of ${name}`,
    <Versions {...{ opened, query, rows, shown, request }} wanted={wanted.length} />,
  );
}

/** With the page of its commit, and who withdrew it. */
async function complete(
  { state }: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
  row: VersionRow,
): Promise<Omit<VersionTableRow, 'cause'>> {
  const { name, latest, block, blockOf } = opened;
  const { published } = row;
  const by = row.isByHand ? (await readWithdrawal(state, name, row.version))?.withdrawn_by : undefined;
  return {
    ...row,
    isLatest: block === undefined && row.version === latest.entry.version,
    warning: published && (malwareIn(opened, row.version) ? 'malware' : warningOf(opened.advisories, published)),
    block: published === undefined ? undefined : blockOf(published),
    commit: published === undefined ? undefined : commitLink(published, sourceOf(opened, published)),
    withdrawnBy: by === undefined ? undefined : await nameActor(state, by, request),
  };
}

const labels: Readonly<Record<VersionKind, string>> = {
  stable: 'Releases',
  development: 'Branches',
  withdrawn: 'Withdrawn',
};

function Versions({ opened, query, rows, wanted, shown, request }: VersionsProps): Child {
  const { name, details } = opened;
  return (
    <PackageFrame opened={opened} tab="versions">
      {details.quarantined.length === 0 ? null : <LeftOut versions={details.quarantined} />}
      <section class="stack">
        <Kinds {...{ name, query, rows }} />
        <Table
          caption="Versions"
          columns={[...versionColumns(name), ...consoleColumns(name, request)]}
          rows={shown}
          groupOf={groupOf}
        />
      </section>
      <Pager
        shown={shown.length}
        from={(query.page - 1) * versionsPerPage}
        total={wanted}
        perPage={versionsPerPage}
        pathOf={(page) => versionsPath(name, { ...query, page })}
      />
      {opened.explanation !== undefined ? null : (
        <p class="soft small">This server reads its packages from an origin, so it does not know withdrawn versions.</p>
      )}
    </PackageFrame>
  );
}

/** By major version, then branches, then withdrawn ones. */
function groupOf({ kind, published }: VersionTableRow): string {
  return kind === 'stable' ? `${published?.entry.version_normalized.split('.', 1)[0]}.x` : labels[kind];
}

/** Nothing for a package with versions of one kind. */
function Kinds({ name, query, rows }: Pick<VersionsProps, 'query' | 'rows'> & { readonly name: string }): Child {
  const kinds = versionKinds
    .map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const)
    .filter(([kind, count]) => count > 0 || kind === query.kind);
  if (kinds.length < 2) return null;
  const tabOf = (kind: VersionKind | '', label: string, count: number) => ({
    label: (
      <>
        {label} <span class="soft">{formatNumber(count)}</span>
      </>
    ),
    to: versionsPath(name, { kind, page: 1 }),
    isCurrent: kind === query.kind,
  });
  return (
    <Tabs
      label="Kinds of versions"
      tabs={[tabOf('', 'All', rows.length), ...kinds.map(([kind, count]) => tabOf(kind, labels[kind], count))]}
    />
  );
}

const maxLeftOut = 20;

function LeftOut({ versions }: { readonly versions: readonly QuarantinedVersion[] }): Child {
  return (
    <Notice kind="warn">
      <div class="stack-tight">
        <p>
          {formatCount(versions.length, 'version is', 'versions are')} left out. The source has{' '}
          {versions.length === 1 ? 'it' : 'them'}, and the registry does not publish{' '}
          {versions.length === 1 ? 'it' : 'them'}:
        </p>
        <ul class="stack-tight">
          {versions.slice(0, maxLeftOut).map(({ version, message, where }) => (
            <li>
              <strong>{version ?? 'unknown version'}</strong>: {message} <span class="soft small">{where}</span>
            </li>
          ))}
        </ul>
        {versions.length > maxLeftOut ? (
          <p>
            <code>libretto why</code> lists the {versions.length - maxLeftOut} others.
          </p>
        ) : null}
      </div>
    </Notice>
  );
}

// The query of the list of versions, from and to its address. Pure.

interface VersionsQuery {
  /** empty: all */
  readonly kind: VersionKind | '';
  /** from 1 */
  readonly page: number;
}

const versionsPerPage = 50;

/** Unknown values count as not given. */
function parseVersionsQuery(query: URLSearchParams): VersionsQuery {
  const page = Number(query.get('page') ?? 1);
  return {
    kind: versionKinds.find((kind) => kind === query.get('kind')) ?? '',
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address of the list below /ui; what is standard is left out. */
function versionsPath(name: string, { kind, page }: VersionsQuery): string {
  return packagePath(name, 'versions', {
    ...(kind === '' ? {} : { kind }),
    ...(page === 1 ? {} : { page: String(page) }),
  });
}
