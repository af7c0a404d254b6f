// The list of notification endpoints.

import type { Child } from 'hono/jsx';
import { mostCounted } from '../../../notifications/endpoints/endpoint-document.ts';
import type { EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { formTitles } from '../../../notifications/model/endpoint.ts';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { MainLink } from '../../components/place.tsx';
import { formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import { endpointPath } from './services.ts';
import { listPage } from '../../frame/headed-page.tsx';
import type { PageView } from '../../frame/definitions.ts';

/** `hasBuilder`: false: this server serves a tree of another host */
export function endpointList(rows: readonly EndpointDocument[], hasBuilder: boolean): PageView {
  return listPage({
    section: 'notifications',
    title: 'Notifications',
    sentence: 'The registry notifies these addresses of events: new versions, failed syncs, advisories and more.',
    hasRows: rows.length > 0,
    add: <ButtonLink to="/notifications/new" icon="plus" kind="primary" label="Create endpoint" />,
    notice: hasBuilder ? null : (
      <Notice kind="info">
        This server reads its packages from another host, the origin. That host sends the notifications: endpoints that
        are made here work only if both hosts share their state.
      </Notice>
    ),
    table: <Table caption="Notification endpoints" columns={columns} rows={rows} />,
    empty: {
      icon: 'bell',
      title: 'No endpoint yet',
      text:
        'Make an endpoint for a Slack, Teams, Mattermost, Discord or Google Chat channel, or for a program of yours. It ' +
        'is notified of each new version seconds later.',
    },
  });
}

const columns: readonly Column<EndpointDocument>[] = [
  { label: 'Name', cell: NameCell },
  { label: 'State', cell: StateCell },
  { label: 'Waiting', isNumber: true, cell: ({ waiting }) => waitingWords(waiting) },
  {
    label: 'Last delivery',
    cell: ({ last_delivered_at: at }) => <Time at={at} none={<span class="soft">none</span>} />,
  },
];

/** More than that are not counted. */
export function waitingWords(waiting: number): string {
  return waiting >= mostCounted ? `${formatNumber(mostCounted)} or more` : formatNumber(waiting);
}

function NameCell({ id, name, form, url }: EndpointDocument): Child {
  return (
    <div class="stack-tight">
      <MainLink to={endpointPath({ id })} text={name} />
      <span class="small soft breaks">{`${formTitles[form]} · ${url}`}</span>
    </div>
  );
}

function StateCell(endpoint: EndpointDocument): Child {
  const { last_error: error, enabled } = endpoint;
  return (
    <div class="stack-tight">
      <span>
        <EndpointBadge endpoint={endpoint} />
      </span>
      {error === null || !enabled ? null : <span class="small">{error}</span>}
    </div>
  );
}
