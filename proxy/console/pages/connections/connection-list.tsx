// The list of connections to forges.

import type { Child } from 'hono/jsx';
import type { ConnectionDocument } from '../../../forges/connection-schema.ts';
import { forgeTitles } from '../../../forges/model/forge-name.ts';
import { Badge } from '../../components/badge.tsx';
import { BuiltElsewhere, type State } from '../../components/notice.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { ReasonText } from '../../components/marked-text.tsx';
import { MainLink } from '../../components/place.tsx';
import { formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { connectionPath, repositoriesTrail } from './services.ts';
import { listPage } from '../../frame/headed-page.tsx';
import type { PageView } from '../../frame/definitions.ts';

export function connectionList(rows: readonly ConnectionDocument[], mayAdd: boolean, hasBuilder: boolean): PageView {
  return listPage({
    section: 'repositories',
    title: 'Connections',
    sentence: 'The registry registers all repositories of these organisations, groups and users that have a package.',
    trail: repositoriesTrail,
    hasRows: rows.length > 0,
    add: mayAdd ? <ButtonLink to="/connections/new" icon="plus" kind="primary" label="Connect an owner" /> : undefined,
    notice: <BuiltElsewhere hasBuilder={hasBuilder} />,
    table: <Table caption="Connections" columns={columns} rows={rows} />,
    empty: hasBuilder && {
      icon: 'folder-git-2',
      title: 'No connection yet',
      text:
        'Connect an organisation at GitHub, GitLab, Gitea, Forgejo or Bitbucket. Its repositories then appear by ' +
        'themselves.',
    },
  });
}

const columns: readonly Column<ConnectionDocument>[] = [
  { label: 'Owner', cell: OwnerCell },
  { label: 'State', cell: ({ status }) => <ConnectionBadge status={status} /> },
  { label: 'Repositories', isNumber: true, cell: ({ counts }) => formatNumber(counts.registered) },
  { label: 'Last refresh', cell: ({ last_refreshed_at: at }) => <Time at={at} none="never" /> },
];

function OwnerCell(connection: ConnectionDocument): Child {
  const { forge, owner, error_message: error } = connection;
  return (
    <div class="stack-tight">
      <MainLink to={connectionPath({ id: connection.id })} text={owner} />
      <span class="small soft">{forgeTitles[forge]}</span>
      {error === null ? null : (
        <span class="small">
          <ReasonText text={error} />
        </span>
      )}
    </div>
  );
}

const badges: Readonly<Record<ConnectionDocument['status'], readonly [kind: State, words: string]>> = {
  pending: ['info', 'never refreshed'],
  refreshing: ['info', 'refreshing'],
  active: ['good', 'in step'],
  error: ['bad', 'failed'],
};

export function ConnectionBadge({ status }: Pick<ConnectionDocument, 'status'>): Child {
  const [kind, words] = badges[status];
  return <Badge kind={kind} label={words} />;
}
