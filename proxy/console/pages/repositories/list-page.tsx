// The list of repositories: words, filters, pages of fifty.

import type { Child } from 'hono/jsx';
import { BuiltElsewhere } from '../../components/notice.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter, WordsFilter } from '../../components/filters.tsx';
import { ButtonLink, type Choice } from '../../components/form.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import { PageHead, MainLink } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { repositoriesPerPage, repositoryListPath, type RepositoryQuery } from './list-query.ts';
import { intervalWords, NextSync, StatusBadge, typeWords } from './repository-words.tsx';
import { repositoryName } from '../source-names.ts';
import { lastReport, repositoryPath, type RepositoryWithJobs } from './services.ts';

export interface RepositoryListProps {
  readonly query: RepositoryQuery;
  /** the repositories of this page */
  readonly rows: readonly RepositoryWithJobs[];
  /** the number of repositories that the query found, and of all */
  readonly found: number;
  readonly total: number;
  /** true: the visitor may register repositories */
  readonly mayAdd: boolean;
  readonly hasBuilder: boolean;
  /** true: something is published */
  readonly hasPackages: boolean;
}

export function RepositoryList(props: RepositoryListProps): Child {
  const { query, total, mayAdd, hasBuilder } = props;
  const add = mayAdd ? (
    <>
      <ButtonLink to="/repositories/new" icon="plus" kind="primary" label="Add repository" />
      <ButtonLink to="/connections" label="Connections" />
    </>
  ) : undefined;
  const actions = mayAdd ? (
    <>
      {add}
      <ButtonLink to="/repositories/hook" icon="link" label="Webhook" />
    </>
  ) : undefined;
  return (
    <>
      <PageHead
        title="Repositories"
        sentence="The registry reads them and publishes their packages, on request or by an interval."
        actions={total === 0 ? undefined : actions}
      />
      <BuiltElsewhere hasBuilder={hasBuilder} />
      {total === 0 ? (
        <NoRepository {...props} action={add} />
      ) : (
        <>
          <Filters query={query} />
          <Results {...props} />
        </>
      )}
    </>
  );
}

function NoRepository({
  mayAdd,
  hasBuilder,
  hasPackages,
  action,
}: RepositoryListProps & { readonly action: Child }): Child {
  if (!hasBuilder) return null;
  return (
    <EmptyState
      icon="folder-git-2"
      title={hasPackages ? 'No repository is registered' : 'No repository yet'}
      action={action}
    >
      {hasPackages ? 'The published packages come from uploads, or from sources of the configuration. ' : ''}
      {mayAdd
        ? 'Add the address of a Git repository. A sync then publishes its tags and branches as versions.'
        : 'A maintainer can add the address of a Git repository. A sync then publishes its versions.'}
    </EmptyState>
  );
}

const kindChoices: readonly Choice[] = [
  { value: '', label: 'all' },
  ...Object.entries(typeWords).map(([value, label]) => ({ value, label })),
];
const stateChoices: readonly Choice[] = [
  { value: '', label: 'all' },
  { value: 'active', label: 'synced' },
  { value: 'error', label: 'failed' },
  { value: 'syncing', label: 'syncing' },
  { value: 'pending', label: 'never synced' },
];

function Filters({ query: { words, kind, state } }: { readonly query: RepositoryQuery }): Child {
  return (
    <form class="filters" data-live>
      <WordsFilter value={words} placeholder="Address or id" />
      <ChoiceFilter name="kind" label="Kind" value={kind} choices={kindChoices} />
      <ChoiceFilter name="state" label="Last sync" value={state} choices={stateChoices} />
      <button class="button">Search</button>
    </form>
  );
}

function Results({ query, rows, found, total }: RepositoryListProps): Child {
  return (
    <div id="results" class="stack">
      <p class="soft small" role="status">
        {found === total
          ? formatCount(total, 'repository', 'repositories')
          : `${formatCount(found, 'repository', 'repositories')} of ${formatNumber(total)}`}
      </p>
      {rows.length === 0 ? (
        <EmptyState
          icon="search"
          title="No repository fits"
          action={<ButtonLink to="/repositories" label="Show all repositories" />}
        >
          Try fewer words, another kind or another state.
        </EmptyState>
      ) : (
        <Table caption="Repositories" columns={columns} rows={rows} />
      )}
      <Pager
        shown={rows.length}
        from={(query.page - 1) * repositoriesPerPage}
        total={found}
        pathOf={(page) => repositoryListPath({ ...query, page })}
        perPage={repositoriesPerPage}
      />
    </div>
  );
}

const columns: readonly Column<RepositoryWithJobs>[] = [
  { label: 'Repository', cell: RepositoryCell },
  { label: 'Last sync', cell: ({ document }) => <StatusBadge status={document.status} /> },
  { label: 'Last success', cell: ({ document }) => <Time at={document.last_synced_at} none="never" /> },
  {
    label: 'Next sync',
    cell: (repository) => <NextSync repository={repository} otherwise={intervalWords(repository.record.interval)} />,
  },
  {
    label: 'Left out',
    isNumber: true,
    cell: (repository) => formatNumber(lastReport(repository)?.counts.quarantined ?? 0),
  },
];

function RepositoryCell({ record, document }: RepositoryWithJobs): Child {
  return (
    <div class="stack-tight">
      <MainLink to={repositoryPath(record)} text={repositoryName(record)} />
      <span class="small soft breaks">{`${typeWords[record.type]} · ${record.url}`}</span>
      {document.error_message === null ? null : (
        <span class="small">
          <ReasonText text={document.error_message} />
        </span>
      )}
    </div>
  );
}
