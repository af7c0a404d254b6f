// The page of an endpoint: its state, the events that it is subscribed to, its secrets without their text, and the last
// deliveries.

import type { Child } from 'hono/jsx';
import type { DeliveryDocument, EndpointDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { formTitles } from '../../../notifications/model/endpoint.ts';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { PostButton } from '../repositories/post-button.tsx';
import { Deliveries, TestOutcome, type DeliveriesProps } from './deliveries.tsx';
import { EndpointBadge, EndpointNotice } from './endpoint-badge.tsx';
import { waitingWords } from './endpoint-list.tsx';
import { endpointPath, notificationsTrail } from './services.ts';

export interface EndpointPageProps extends DeliveriesProps {
  readonly endpoint: EndpointDocument;
  /** the test that the visitor has just sent; undefined: none */
  readonly tested: DeliveryDocument | undefined;
}

export function EndpointPage({ endpoint, tested, ...deliveries }: EndpointPageProps): Child {
  const { name, form, url } = endpoint;
  return (
    <>
      <PageHead
        title={name}
        sentence={<span class="breaks">{`${formTitles[form]}, ${url}`}</span>}
        trail={notificationsTrail}
        actions={<Actions endpoint={endpoint} />}
      />
      {tested === undefined ? null : <TestOutcome delivery={tested} />}
      <EndpointNotice endpoint={endpoint} />
      <Facts endpoint={endpoint} />
      {endpoint.secrets.length === 0 ? null : <Secrets endpoint={endpoint} />}
      <Deliveries {...deliveries} />
    </>
  );
}

function Actions({ endpoint: { id, enabled, signature } }: { readonly endpoint: EndpointDocument }): Child {
  const path = endpointPath({ id });
  return (
    <>
      <PostButton action={`${path}/test`} icon="send">
        Send a test
      </PostButton>
      <ButtonLink to={`${path}/edit`} icon="pencil" label="Edit" />
      {signature === null ? null : (
        <ButtonLink
          to={`${path}/secret`}
          icon="key-round"
          label={signature === 'v1a' ? 'Create key' : 'Create secret'}
        />
      )}
      <ButtonLink to={enabled ? `${path}/off` : `${path}/on`} label={enabled ? 'Turn off' : 'Turn on'} />
      <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" label="Remove" />
    </>
  );
}

interface PartProps {
  readonly endpoint: EndpointDocument;
}

function Facts({ endpoint }: PartProps): Child {
  const { waiting, last_delivered_at: delivered, last_failed_at: failed, packages, stability, view } = endpoint;
  const time = (at: string | null): Child => (at === null ? 'none' : <Time at={at} />);
  return (
    <div class="panel stack">
      <dl class="facts wide">
        <Fact label="State" value={<EndpointBadge endpoint={endpoint} />} />
        <Fact label="Waiting">{waitingWords(waiting)}</Fact>
        <Fact label="Last delivery">{time(delivered)}</Fact>
        <Fact label="Last failure">{time(failed)}</Fact>
        <Fact label="Packages">{packages === null ? 'all' : <code class="breaks">{packages.join(' ')}</code>}</Fact>
        <Fact label="Stability">{stability === null ? 'all versions' : `${stability} and more stable`}</Fact>
        <Fact label="Subscribed to">
          {view === null ? 'everything' : <A to={`/tokens/${view}`}>what the token {view} sees</A>}
        </Fact>
        <Fact label="Made">{time(endpoint.created_at)}</Fact>
      </dl>
      <dl class="facts">
        <Fact label="Events">
          {endpoint.events.map((type, at) => (
            <>
              {at === 0 ? null : ', '}
              <code class="whole">{type}</code>
            </>
          ))}
        </Fact>
      </dl>
    </div>
  );
}

function Secrets({ endpoint: { secrets, signature } }: PartProps): Child {
  const isPublic = signature === 'v1a';
  return (
    <section class="stack">
      <h2>{isPublic ? 'Keys' : 'Secrets'}</h2>
      <Table
        caption={isPublic ? 'Keys' : 'Secrets'}
        columns={[
          { label: 'Id', cell: ({ id }) => <code>{id}</code> },
          ...(isPublic
            ? [
                {
                  label: 'Public key',
                  isPlain: true,
                  cell: ({ public_key: key }: (typeof secrets)[number]) => <code class="breaks">{key}</code>,
                },
              ]
            : []),
          { label: 'Made', cell: ({ created_at: at }) => <Time at={at} /> },
          { label: 'Signs until', cell: ({ ends_at: at }) => <Time at={at} none="it is replaced" /> },
        ]}
        rows={secrets}
      />
    </section>
  );
}
