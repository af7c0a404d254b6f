// The list of trusted publishers, and the packages that only they publish.

import type { Child } from 'hono/jsx';
import { summarizeLimits } from '../../../auth/token-limit-text.ts';
import { kindTitles } from '../../../publishers/model/issuer.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, MainLink } from '../../components/place.tsx';
import { formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { CiRun } from '../ci-run.tsx';
import { KeylessOnly } from './keyless-only.tsx';
import { publisherPath } from './services.ts';

interface PublisherListProps {
  readonly rows: readonly PublisherDocument[];
  /** patterns of packages */
  readonly keyless: readonly string[];
}

export function PublisherList({ rows, keyless }: PublisherListProps): Child {
  const add = <ButtonLink to="/publishers/new" icon="plus" kind="primary" label="Create publisher" />;
  return (
    <>
      <PageHead
        title="Publishers"
        sentence="CI jobs of these repositories publish or read packages without a stored secret."
        actions={rows.length === 0 ? undefined : add}
      />
      {rows.length === 0 ? (
        <EmptyState icon="shield-check" title="No publisher yet" action={add}>
          A publisher lets the CI jobs of one repository publish or read packages, so that no token is stored in the CI
          system. Each job proves with its ID token where it runs, and gets a token that ends within the hour.
        </EmptyState>
      ) : (
        <Table caption="Trusted publishers" columns={columns} rows={rows} />
      )}
      {rows.length === 0 && keyless.length === 0 ? null : <KeylessOnly patterns={keyless} publishers={rows} />}
    </>
  );
}

const columns: readonly Column<PublisherDocument>[] = [
  { label: 'Name', cell: NameCell },
  { label: 'Purpose', cell: PurposeCell },
  { label: 'Ids', cell: IdsBadge },
  { label: 'Last run', cell: (publisher) => <LastRun publisher={publisher} /> },
  {
    label: 'This hour',
    isNumber: true,
    cell: ({ exchanges: { used, limit } }) => `${formatNumber(used)} of ${formatNumber(limit)}`,
  },
];

function NameCell(publisher: PublisherDocument): Child {
  const { id, name, kind } = publisher;
  return (
    <div class="stack-tight">
      <MainLink to={publisherPath({ id })} text={name} breaks />
      <span class="small soft breaks">{`${kindTitles[kind]} · ${repositoryWords(publisher)}`}</span>
    </div>
  );
}

/** What names the repository: its path, its id, or rules for claims. */
export function repositoryWords({ repository, repository_id: id }: PublisherDocument): string {
  if (repository !== null) return repository;
  return id === null ? 'rules for claims' : `id ${id}`;
}

function PurposeCell(publisher: PublisherDocument): Child {
  const { purpose } = publisher;
  return (
    <div class="stack-tight">
      <span>
        <Badge icon={purpose === 'publish' ? 'upload' : 'eye'} label={purpose === 'publish' ? 'publish' : 'read'} />
      </span>
      <span class="small soft breaks">{summarizeLimits({ ...publisher, networks: null })}</span>
    </div>
  );
}

export function IdsBadge({ ids, issuer_accepted: isAccepted }: PublisherDocument): Child {
  if (!isAccepted) return <Badge kind="bad" label="CI system not accepted" />;
  if (ids === 'unknown') return <Badge kind="warn" label="set by the first job" />;
  if (ids === 'shared') return <Badge kind="good" label="of another publisher" />;
  if (ids === 'none') return <Badge label="none" />;
  return <Badge kind="good" label={ids === 'given' ? 'given' : 'learnt'} />;
}

export function LastRun({
  publisher: { last_run: run, last_exchange_at: at },
}: {
  readonly publisher: PublisherDocument;
}): Child {
  if (run === null || at === null) return <span class="soft">none</span>;
  return (
    <div class="stack-tight">
      <Time at={at} />
      <span class="small">
        <CiRun run={run} />
      </span>
    </div>
  );
}
