// The page of a webhook: its address, its valid secrets without their text, and the last deliveries with their syncs.

import type { Child } from 'hono/jsx';
import type { HookDeliveryDocument, HookDocument } from '../../../hooks/hook-schema.ts';
import { providerTitles } from '../../../hooks/inbox.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { HookPlace } from './services.ts';

export interface HookPageProps {
  readonly place: HookPlace;
  readonly hook: HookDocument;
  /** the address of the registry for its clients */
  readonly origin: string;
}

export function HookPage({ place, hook, origin }: HookPageProps): Child {
  const exists = hook.secrets.length > 0;
  return (
    <>
      <PageHead
        title={`Webhook of ${place.name}`}
        sentence="A push at the provider starts a sync here, so that a new version can be installed seconds later."
        trail={place.trail}
        actions={exists ? <Actions path={place.path} /> : undefined}
      />
      {hook.refused === null ? null : (
        <Notice kind="warn">
          {`${formatCount(hook.refused.count, 'request was', 'requests were')} refused: ${hook.refused.reason}. The last one came `}
          <Time at={hook.refused.last_at} />
          {`. ${hook.refused.remedy}`}
        </Notice>
      )}
      {exists ? (
        <Existing place={place} hook={hook} origin={origin} />
      ) : (
        <EmptyState
          icon="link"
          title="No webhook"
          action={<ButtonLink to={`${place.path}/secret`} kind="primary" label="Create webhook" />}
        >
          Make it, then enter its address and its secret at GitHub, GitLab, Bitbucket, Gitea or Azure DevOps.
        </EmptyState>
      )}
      <Deliveries place={place} deliveries={hook.deliveries} />
    </>
  );
}

function Actions({ path }: { readonly path: string }): Child {
  return (
    <>
      <ButtonLink to={`${path}/secret`} icon="key-round" label="Create secret" />
      <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" label="Remove" />
    </>
  );
}

function Existing({ hook, origin }: HookPageProps): Child {
  return (
    <section class="stack">
      <h2>Address</h2>
      <CodeBlock label="the address of the webhook" text={`${origin}${hook.path}`} />
      <h2>Secrets</h2>
      <Table
        caption="Secrets"
        columns={[
          { label: 'Secret', cell: ({ id }) => <code>{id}</code> },
          { label: 'Made', cell: ({ created_at: at }) => <Time at={at} /> },
          { label: 'Valid until', cell: ({ ends_at: at }) => <Time at={at} none="it is replaced" /> },
        ]}
        rows={hook.secrets}
      />
    </section>
  );
}

interface DeliveriesProps {
  readonly place: HookPlace;
  readonly deliveries: readonly HookDeliveryDocument[];
}

function Deliveries({ place, deliveries }: DeliveriesProps): Child {
  const columns: readonly Column<HookDeliveryDocument>[] = [
    { label: 'Received', cell: ({ received_at: at }) => <Time at={at} /> },
    { label: 'From', cell: ({ provider, event }) => `${providerTitles[provider]}: ${event}` },
    { label: 'Result', cell: (delivery) => <Result {...delivery} /> },
    {
      label: 'Again',
      isPlain: true,
      cell: ({ id, syncs }) => (syncs.length === 0 ? null : <A to={`${place.path}/${id}/replay`}>Replay</A>),
    },
  ];
  return (
    <section class="stack">
      <h2>Last deliveries</h2>
      <Table caption="Deliveries" columns={columns} rows={deliveries} empty="None has arrived yet." />
    </section>
  );
}

function Result({ outcome, syncs }: HookDeliveryDocument): Child {
  if (outcome !== 'sync') return <span class="soft">{outcome}</span>;
  return (
    <span class="stack-tight">
      {syncs.map((sync) => (
        <SyncLink {...sync} />
      ))}
    </span>
  );
}

function SyncLink({ repository_id: repository, job_id: job, state }: HookDeliveryDocument['syncs'][number]): Child {
  if (job === null) return <span class="soft">{state === 'waiting' ? 'the sync waits' : 'no longer kept'}</span>;
  return <A to={`/repositories/${repository}/jobs/${job}`}>{`the sync ${syncWords[state ?? 'succeeded'] ?? ''}`}</A>;
}

const syncWords: Readonly<Partial<Record<string, string>>> = {
  queued: 'waits',
  running: 'is running',
  succeeded: 'succeeded',
  failed: 'failed',
};
