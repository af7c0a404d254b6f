// The list of trusted publishers, and the packages that only they publish.

import type { Child } from 'hono/jsx';
import { summarizeLimits } from '../../../auth/token-limit-text.ts';
import { kindTitles } from '../../../publishers/model/issuer.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { MainLink } from '../../components/place.tsx';
import { formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { CiRun } from '../ci-run.tsx';
import { KeylessOnly } from './keyless-only.tsx';
import { publisherPath } from './services.ts';
import { listPage } from '../../frame/headed-page.tsx';
import type { PageView } from '../../frame/definitions.ts';

/** `keyless`: patterns of packages */
export function publisherList(rows: readonly PublisherDocument[], keyless: readonly string[]): PageView {
  const isEmpty = rows.length === 0;
  return listPage({
    section: 'publishers',
    title: 'Publishers',
    sentence: 'CI jobs of these repositories publish or read packages without a stored secret.',
    hasRows: !isEmpty,
    add: <ButtonLink to="/publishers/new" icon="plus" kind="primary" label="Create publisher" />,
    table: <Table caption="Trusted publishers" columns={columns} rows={rows} />,
    empty: {
      icon: 'shield-check',
      title: 'No publisher yet',
      text:
        'A publisher lets the CI jobs of one repository publish or read packages, so that no token is stored in the CI ' +
        'system. Each job proves with its ID token where it runs, and gets a token that ends within the hour.',
    },
    below: isEmpty && keyless.length === 0 ? null : <KeylessOnly patterns={keyless} publishers={rows} />,
  });
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
