// The stored versions with an advisory over all packages, own and mirrored: malware first, who used them last, and the
// release that fixes them.

import type { Child } from 'hono/jsx';
import type { z } from 'zod';
import { countUsers } from '../../../usage/describe-users.ts';
import { exposureFilter, type ExposureDocument, type ExposuresDocument } from '../../../usage/usage-schema.ts';
import { severities } from '../../../policy/model/words.ts';
import { listExposures } from '../../../usage/operations.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter } from '../../components/filters.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { packagePath, type PackagePageServices } from '../package/open-package.ts';
import { Concerns } from '../package/concerns.tsx';
import { UsageState, UsageUser } from '../package/usage-page.tsx';
import { NotCounted } from '../package/used-by.tsx';
import { VersionLink } from '../package/version-link.tsx';

const mostRows = 200;
const mostNamed = 5;
const origins = [
  { value: '', label: 'all' },
  { value: 'private', label: 'published here' },
  { value: 'mirrored', label: 'mirrored' },
];
const leastSeverities = [
  { value: '', label: 'any' },
  ...severities.toReversed().map((value) => ({ value, label: value === 'critical' ? value : `${value} or worse` })),
];

export function registerSecurityPage(pages: Pages, services: PackagePageServices): void {
  pages.page({ path: '/security', operation: 'listExposures', show: (request) => showSecurity(services, request) });
}

async function showSecurity(services: PackagePageServices, request: SignedInRequest): Promise<PageView> {
  const given = Object.fromEntries([...request.query].filter(([, value]) => value !== ''));
  const filter = exposureFilter.safeParse(given).data ?? {};
  const found = await callFor(services, request, listExposures, filter);
  return { title: 'Security', section: 'security', content: securityOf(found, filter, request) };
}

function securityOf(
  { data, left_out: left, unread, counted_since: since }: ExposuresDocument,
  { origin, severity }: z.output<typeof exposureFilter>,
  request: SignedInRequest,
) {
  const more = left + Math.max(0, data.length - mostRows);
  return (
    <>
      <PageHead
        title="Security"
        sentence="Versions with an advisory whose archives clients get here, published or mirrored."
      />
      {since === null ? <NotCounted /> : null}
      <MalwareNotice found={data.filter(({ malware }) => malware)} />
      {unread.map((name) => (
        <Notice kind="warn">{name} is damaged: whether it has an advisory is unknown.</Notice>
      ))}
      {data.length === 0 && (origin ?? severity) === undefined ? (
        <EmptyState icon="shield-check" title="No version has an advisory">
          Advisories come from libretto.json, from the other registries, and from the feeds of the policy.
        </EmptyState>
      ) : (
        <form class="filters">
          <ChoiceFilter name="origin" label="Packages" value={origin ?? ''} choices={origins} />
          <ChoiceFilter name="severity" label="Severity" value={severity ?? ''} choices={leastSeverities} />
          <button class="button">Filter</button>
        </form>
      )}
      {data.length > 0 ? (
        <Table caption="Versions with an advisory" columns={columnsOf(request)} rows={data.slice(0, mostRows)} />
      ) : (origin ?? severity) === undefined ? null : (
        <p class="soft">No version fits.</p>
      )}
      {more === 0 ? null : <p class="soft small">and {more} more: GET /api/exposures lists them</p>}
    </>
  );
}

function MalwareNotice({ found }: { readonly found: readonly ExposureDocument[] }): Child {
  if (found.length === 0) return null;
  const count = formatCount(found.length, 'version is malware', 'versions are malware');
  const free = found.filter(({ refused }) => !refused).map(({ package: name, version }) => `${name} ${version}`);
  if (free.length === 0)
    return (
      <Notice kind="warn">
        {count}. Rules of the policy refuse {found.length === 1 ? 'it' : 'all of them'}.
      </Notice>
    );
  const names = [...free.slice(0, mostNamed), ...(free.length > mostNamed ? [`${free.length - mostNamed} more`] : [])];
  return (
    <Notice kind="bad">
      {count}. No rule of the policy refuses {names.join(', ')}. The template “Block malware” of{' '}
      <A to="/policy">the policy</A> does.
    </Notice>
  );
}

function columnsOf(request: SignedInRequest): readonly Column<ExposureDocument>[] {
  return [
    {
      label: 'Version',
      cell: ({ package: name, version, origin }) => (
        <span class="breaks">
          <A to={packagePath(name)}>{name}</A>{' '}
          <code>{origin === 'private' ? <VersionLink {...{ name, version }} /> : version}</code>
          {origin === 'mirrored' ? <span class="soft"> mirrored</span> : null}
        </span>
      ),
    },
    {
      label: 'Advisories',
      isPlain: true,
      cell: ({ advisories, malware }) => <Concerns {...{ advisories, malware }} />,
    },
    { label: 'State', cell: (row) => <UsageState {...row} /> },
    { label: 'Fixed in', cell: ({ fixed_in: fix }) => (fix === null ? <span class="soft">no release</span> : fix) },
    { label: 'Last use', cell: (row) => <LastUse {...{ row, request }} /> },
  ];
}

function LastUse({ row, request }: { readonly row: ExposureDocument; readonly request: SignedInRequest }): Child {
  const { package: name, version, last_used_on: day, last_used_by: user } = row;
  return (
    <div class="stack-tight">
      {day === null ? (
        <span class="soft">none is known</span>
      ) : (
        <span>
          {day}, <UsageUser token={user} request={request} />
        </span>
      )}
      <span class="row">
        <A to={packagePath(name, 'usage', { constraint: version })}>Used by {countUsers(row)}</A>
        {row.tokens + row.projects > 0 ? (
          <A to={packagePath(name, 'tell', { constraint: version })}>Tell them</A>
        ) : null}
        {row.origin === 'private' && row.state !== 'withdrawn' && request.may('withdrawVersion') ? (
          <A to={packagePath(name, 'withdraw', { version })}>Withdraw</A>
        ) : null}
      </span>
    </div>
  );
}
