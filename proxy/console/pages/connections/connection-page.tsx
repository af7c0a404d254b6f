// The page of one connection: its state, and each repository that the forge lists.

import type { Child } from 'hono/jsx';
import type { ConnectionDocument } from '../../../forges/connection-schema.ts';
import { forgeTitles } from '../../../forges/model/forge-name.ts';
import { skipReasons, type ListedRepository } from '../../../forges/model/forge-repository.ts';
import { Badge } from '../../components/badge.tsx';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { intervalWords } from '../repositories/repository-words.tsx';
import { ConnectionBadge } from './connection-list.tsx';
import { connectionPath, connectionsTrail } from './services.ts';

interface ConnectionPageProps {
  readonly connection: ConnectionDocument;
  /** all repositories that the forge lists */
  readonly repositories: readonly ListedRepository[];
  /** from 1 */
  readonly page: number;
}

const perPage = 100;

export function ConnectionPage({ connection, repositories, page }: ConnectionPageProps): Child {
  const { id, owner, forge, url } = connection;
  const path = connectionPath({ id });
  const from = (page - 1) * perPage;
  const rows = repositories.slice(from, from + perPage);
  return (
    <>
      <PageHead
        title={owner}
        sentence={`${forgeTitles[forge]}, ${url}`}
        trail={connectionsTrail}
        actions={
          <>
            <ButtonLink to={`${path}/refresh`} kind="primary" label="Refresh" />
            <ButtonLink to={`${path}/edit`} label="Edit" />
            <ButtonLink to={`${path}/credentials`} label="Replace credentials" />
            <ButtonLink to={`${path}/remove`} kind="danger" label="Remove" />
          </>
        }
      />
      <Notices connection={connection} repositories={repositories} />
      <Facts connection={connection} />
      <Table caption="Repositories of this connection" columns={columns} rows={rows} />
      <Pager
        shown={rows.length}
        from={from}
        total={repositories.length}
        perPage={perPage}
        pathOf={(other) => `${path}?page=${other}`}
      />
    </>
  );
}

function Notices({ connection, repositories }: Pick<ConnectionPageProps, 'connection' | 'repositories'>): Child {
  const { error_message: error, hook_error: hookError } = connection;
  const needing = repositories.filter(({ state }) => state === 'archived' || state === 'removed').length;
  return (
    <>
      {error === null ? null : (
        <Notice kind="bad">
          <ReasonText text={error} />
        </Notice>
      )}
      {hookError === null ? null : (
        <Notice kind="warn">
          <ReasonText text={hookError} />
        </Notice>
      )}
      {needing === 0 ? null : (
        <Notice kind="warn">
          {`${formatCount(needing, 'repository', 'repositories')} archived or removed at the forge. What they published ` +
            'stays until you remove them here.'}
        </Notice>
      )}
    </>
  );
}

function Facts({ connection }: Pick<ConnectionPageProps, 'connection'>): Child {
  const { status, last_refreshed_at: last, next_refresh_at: next, only, except, forks, credentials } = connection;
  const { subdirectories: folders } = connection;
  const time = (at: string | null, without: string): Child => (at === null ? without : <Time at={at} />);
  return (
    <dl class="facts wide panel">
      <Fact label="State" value={<ConnectionBadge status={status} />} />
      <Fact label="Last refresh">{time(last, 'never')}</Fact>
      <Fact label="Next refresh">{time(next, 'at once')}</Fact>
      <Fact label="Names">
        {`${only.length === 0 ? 'all' : only.join(' ')}${except.length === 0 ? '' : `, not ${except.join(' ')}`}`}
      </Fact>
      <Fact label="Subfolders">{folders === null ? 'none' : folders.join(' ')}</Fact>
      <Fact label="Forks">{forks ? 'included' : 'left out'}</Fact>
      <Fact label="Webhooks">{hooksWords(connection)}</Fact>
      <Fact label="Looks for changes">{intervalWords(connection.interval)}</Fact>
      <Fact label="Syncs of new repositories">{intervalWords(connection.sync_interval)}</Fact>
      <Fact label="Credentials">{credentials === 'app' ? 'a GitHub App' : 'a token'}</Fact>
    </dl>
  );
}

function hooksWords({ hooks, hooks_at: at, hook_error: error }: ConnectionDocument): string {
  if (hooks && error !== null) return 'missing for some';
  if (at === null) return hooks ? 'installed by the next refresh' : 'not installed';
  return `${at === 'owner' ? 'at the owner' : 'at each repository'}${hooks ? '' : '; no more are installed'}`;
}

const states: Readonly<Record<ListedRepository['state'], readonly [kind: State, words: string]>> = {
  registered: ['good', 'registered'],
  archived: ['warn', 'archived there'],
  removed: ['warn', 'removed there'],
  skipped: ['info', 'not registered'],
};

const columns: readonly Column<ListedRepository>[] = [
  {
    label: 'Repository',
    cell: ({ path, repository, state }) =>
      repository === null || state === 'skipped' ? path : <A to={`/repositories/${repository}`}>{path}</A>,
  },
  {
    label: 'State',
    cell: ({ state }) => <Badge kind={states[state][0]} label={states[state][1]} />,
  },
  { label: 'Package', cell: ({ package: name }) => (name === null ? '' : <code class="whole">{name}</code>) },
  { label: 'Why', cell: ({ reason }) => (reason === null ? '' : skipReasons[reason]) },
];
