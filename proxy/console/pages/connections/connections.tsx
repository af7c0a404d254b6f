// The pages about connections to forges.

import { readConnection } from '../../../forges/connection-document.ts';
import { readConnected } from '../../../forges/model/connected.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount } from '../../components/quantity.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { registerAddingConnections } from './add-connection.tsx';
import { ConnectionList } from './connection-list.tsx';
import { ConnectionPage } from './connection-page.tsx';
import { registerEditingConnections } from './edit-connection.tsx';
import { connectionPath, connectionsFor, type ConnectionPageServices } from './services.ts';

/** Seconds between two looks of a browser without JavaScript. */
const refreshSeconds = 5;

export function registerConnectionPages(pages: Pages, services: ConnectionPageServices): void {
  pages.page({
    path: '/connections',
    operation: 'listConnections',
    notices: {
      removed: 'The connection is removed. Its repositories stay registered.',
      'webhook-stays':
        'The connection is removed. Its webhook stays at the forge, because it could not be removed with the ' +
        'credentials: remove it there.',
    },
    show: (request) => showList(services, request),
  });
  registerAddingConnections(pages, services);
  pages.page({
    path: '/connections/:id',
    operation: 'getConnection',
    notices: {
      connected: 'The owner is connected. Its repositories appear within seconds.',
      refreshing: 'The refresh begins within seconds.',
      saved: 'The changes are saved. The next refresh begins within seconds.',
      same: 'Nothing was changed.',
      credentials: 'The credentials are replaced. Repositories that failed are synced again.',
    },
    show: (request) => showOne(services, request),
  });
  registerEditingConnections(pages, services);
  registerQuestions(pages, services);
}

function registerQuestions(pages: Pages, services: ConnectionPageServices): void {
  pages.form({
    path: '/connections/:id/refresh',
    operation: 'refreshConnection',
    show: (request, state) => ask(services, request, state, refreshing),
    submit: async (request) => {
      const record = await connectionsFor(services, request).refreshSoon(request.param('id'));
      return { to: connectionPath(record), notice: 'refreshing' };
    },
  });
  pages.form({
    path: '/connections/:id/remove',
    operation: 'deleteConnection',
    show: (request, state) => ask(services, request, state, removing),
    submit: async (request) => {
      const { webhook } = await connectionsFor(services, request).remove(request.param('id'), request.param('id'));
      return { to: '/connections', notice: webhook === 'stays' ? 'webhook-stays' : 'removed' };
    },
  });
}

async function showList(services: ConnectionPageServices, request: SignedInRequest): Promise<PageView> {
  const records = await connectionsFor(services, request).list();
  const rows = await Promise.all(records.map((record) => readConnection(services.state, record)));
  return {
    title: 'Connections',
    section: 'repositories',
    content: (
      <ConnectionList
        rows={rows}
        mayAdd={request.may('createConnection')}
        hasBuilder={request.hasBuilder}
        nowMs={request.nowMs}
      />
    ),
  };
}

async function showOne(services: ConnectionPageServices, request: SignedInRequest): Promise<PageView> {
  const record = await connectionsFor(services, request).get(request.param('id'));
  const [connection, repositories] = await Promise.all([
    readConnection(services.state, record),
    readConnected(services.state, record.id),
  ]);
  const page = Math.max(1, Math.trunc(Number(request.query.get('page') ?? 1)) || 1);
  return {
    title: record.owner,
    section: 'repositories',
    ...(connection.status === 'refreshing' || connection.status === 'pending' ? { refreshSeconds } : {}),
    content: <ConnectionPage connection={connection} repositories={repositories} page={page} nowMs={request.nowMs} />,
  };
}

interface Question {
  readonly title: (owner: string) => string;
  readonly sentence: (repositories: number, hasHook: boolean) => string;
  readonly submit: string;
  readonly isDanger: boolean;
}

const refreshing: Question = {
  title: (owner) => `Refresh ${owner}?`,
  sentence: () => 'The registry asks the forge for new, renamed, archived and removed repositories.',
  submit: 'Refresh now',
  isDanger: false,
};

const removing: Question = {
  title: (owner) => `Remove the connection to ${owner}?`,
  sentence: (repositories, hasHook) =>
    `Its credentials are deleted. ${formatCount(repositories, 'repository', 'repositories')} ` +
    `${repositories === 1 ? 'stays' : 'stay'} registered and published, but private ones cannot be read any more.` +
    (hasHook ? " The owner's webhook at the forge is removed." : ''),
  submit: 'Remove connection',
  isDanger: true,
};

async function ask(
  services: ConnectionPageServices,
  request: SignedInRequest,
  state: FormState,
  { title: titleOf, sentence, submit, isDanger }: Question,
): Promise<PageView> {
  const record = await connectionsFor(services, request).get(request.param('id'));
  const title = titleOf(record.owner);
  const { hooks_at } = await readConnection(services.state, record);
  const registered = (await readConnected(services.state, record.id)).filter(({ state: where }) => where !== 'skipped');
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence={sentence(registered.length, hooks_at === 'owner')} />
        <Form
          state={state}
          submit={submit}
          isDanger={isDanger}
          cancel={connectionPath(record)}
          asksPassword={isDanger && request.asksPassword}
        />
      </>
    ),
  };
}
