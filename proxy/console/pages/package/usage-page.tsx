// Who uses a package: tokens, CI jobs and projects, with their versions, as a table and as a CSV file.

import type { Child } from 'hono/jsx';
import { isJsonObject } from '../../../../build/contract/json.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { countUsers, nameOfUser, shortVersion } from '../../../usage/describe-users.ts';
import { getUsage } from '../../../usage/operations.ts';
import { usageCsv } from '../../../usage/usage-csv.ts';
import type { UsageDocument, UseDocument, VersionState } from '../../../usage/usage-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextFilter } from '../../components/filters.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageOutcome, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import { ExternalLink } from './facts-panel.tsx';
import { nameIn, openPackage, packagePath, packageView, type PackagePageServices } from './open-package.ts';
import { FrameOrHead } from './package-frame.tsx';
import { NotCounted } from './used-by.tsx';
import { webAddress } from './web-links.ts';

interface Filter {
  readonly constraint: string;
  readonly since: string;
}

const mostRows = 500;

export async function showUsage(services: PackagePageServices, request: SignedInRequest): Promise<PageOutcome> {
  const name = nameIn(request);
  const [constraint = '', since = ''] = ['constraint', 'since'].map((field) =>
    (request.query.get(field) ?? '').trim().slice(0, 500),
  );
  const usage = await ask(services, request, name, { constraint, since });
  if (request.query.get('as') === 'csv' && typeof usage !== 'string') {
    const bytes = Buffer.from(
      usageCsv(usage)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return { file: { name: `usage-${name.replace('/', '-')}.csv`, type: 'text/csv; charset=utf-8', bytes } };
  }
  // undefined: the package is mirrored, or was withdrawn
  const opened = await openPackage(services, name, request);
  return packageView(
    `Used by: ${name}`,
    <FrameOrHead opened={opened} tab="usage" title={name}>
      <Usage {...{ name, usage, request }} filter={{ constraint, since }} />
    </FrameOrHead>,
  );
}

/** A text: what is wrong with the filter. */
async function ask(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
  { constraint, since }: Filter,
): Promise<UsageDocument | string> {
  const [vendor = '', project = ''] = name.split('/');
  const input = { vendor, package: project, constraint, since: since === '' ? undefined : since };
  try {
    return await callFor(services, request, getUsage, input);
  } catch (error) {
    const [issue] =
      error instanceof RegistryError && Array.isArray(error.details['issues']) ? error.details['issues'] : [];
    if (!isJsonObject(issue)) throw error;
    return String(issue['message']);
  }
}

interface UsageProps {
  readonly name: PackageName;
  readonly usage: UsageDocument | string;
  readonly filter: Filter;
  readonly request: SignedInRequest;
}

function Usage({ name, usage, filter, request }: UsageProps): Child {
  const short = shortVersion(filter.constraint);
  return (
    <section class="stack">
      <form class="filters">
        <TextFilter name="constraint" label="Versions" value={filter.constraint} placeholder="^1.2" />
        <TextFilter type="date" name="since" label="Used since (UTC)" value={filter.since} />
        <button class="button">Filter</button>
        {filter.constraint + filter.since === '' ? null : <A to={packagePath(name, 'usage')}>Show all</A>}
      </form>
      {short === undefined ? null : (
        <p class="soft small">
          {filter.constraint} means {short.exact} alone, as in Composer.{' '}
          <A to={packagePath(name, 'usage', { ...filter, constraint: short.all })}>Show all of {short.all}</A>
        </p>
      )}
      {typeof usage === 'string' ? (
        <Notice kind="bad">{usage}</Notice>
      ) : (
        <Found {...{ name, usage, filter, request }} />
      )}
    </section>
  );
}

function Found({ name, usage, filter, request }: UsageProps & { readonly usage: UsageDocument }): Child {
  const { data, counted_since: since, truncated } = usage;
  return (
    <>
      {since === null ? <NotCounted /> : <p class="soft small">Downloads are counted by token since {since}.</p>}
      {truncated.map((sentence) => (
        <Notice kind="warn">{sentence}</Notice>
      ))}
      {data.length === 0 ? (
        <EmptyState icon="download" title="No use is known">
          A token appears here after its first download or install, a project after <code>libretto report</code>.
        </EmptyState>
      ) : (
        <>
          <div class="row">
            <h2>Used by {countUsers(usage)}</h2>
            <span class="row-end row">
              <ButtonLink to={packagePath(name, 'tell', { ...filter })} label="Tell them" />
              <ButtonLink to={packagePath(name, 'usage', { ...filter, as: 'csv' })} icon="download" label="CSV" />
            </span>
          </div>
          <Table caption="Uses" columns={columnsOf(request)} rows={data.slice(0, mostRows)} />
          {data.length > mostRows ? <p class="soft small">and {data.length - mostRows} more, in the CSV file</p> : null}
        </>
      )}
    </>
  );
}

const kinds: Readonly<Record<VersionState, State>> = {
  supported: 'good',
  dev: 'info',
  unknown: 'info',
  withdrawn: 'warn',
  advisory: 'bad',
  held: 'warn',
  malware: 'bad',
  blocked: 'bad',
  purged: 'bad',
};

function columnsOf(request: SignedInRequest): readonly Column<UseDocument>[] {
  return [
    { label: 'Used by', cell: ({ token }) => <UsageUser {...{ token, request }} /> },
    { label: 'Owner', cell: ({ token }) => token?.owner ?? '' },
    { label: 'Version', cell: ({ version }) => <code>{version}</code> },
    { label: 'State', cell: ({ state }) => <UsageState state={state} /> },
    { label: 'Fixed in', cell: ({ fixed_in: fix }) => (fix === null ? '' : <code>{fix}</code>) },
    { label: 'Last use', cell: ({ last_used_on: day }) => <span class="nowrap">{day}</span> },
    { label: 'Downloads', isNumber: true, cell: ({ downloads }) => formatNumber(downloads) },
    { label: 'Installs', isNumber: true, cell: ({ installs }) => formatNumber(installs) },
  ];
}

/** `refused`: of malware, whether the policy refuses it; undefined: the label does not say. */
export function UsageState({ state, refused }: Pick<UseDocument, 'state'> & { readonly refused?: boolean }): Child {
  const says = state === 'malware' && refused !== undefined;
  return <Badge kind={kinds[state]} label={says ? `malware, ${refused ? 'blocked' : 'still served'}` : state} />;
}

export function UsageUser({
  token,
  request,
}: Pick<UseDocument, 'token'> & { readonly request: SignedInRequest }): Child {
  if (token === null) return <span class="soft">a token or project that you may not see</span>;
  const isJob = token.id.startsWith('pub_');
  const run = webAddress(token.run_url);
  const isProject = token.kind === 'project';
  const folder = isProject ? 'projects' : isJob ? 'publishers' : 'tokens';
  const operation = isProject ? 'getProject' : isJob ? 'getPublisher' : 'getToken';
  const isShown = token.status !== 'removed' && request.may(operation);
  return (
    <span class="breaks">
      {isShown ? <A to={`/${folder}/${token.id}`}>{nameOfUser(token)}</A> : nameOfUser(token)}
      {token.status === 'active' ? null : <span class="soft"> ({token.status})</span>}
      {token.client === null ? null : <span class="soft small"> {token.client}</span>}
      {run === undefined ? null : (
        <>
          , <ExternalLink to={run}>last CI run</ExternalLink>
        </>
      )}
    </span>
  );
}
