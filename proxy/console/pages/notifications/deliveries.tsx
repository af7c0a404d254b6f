// The deliveries of an endpoint, newest first: the event in words, each attempt, and what was sent.

import type { Child } from 'hono/jsx';
import { testType } from '../../../events/registry-event.ts';
import { eventText } from '../../../events/event-text.ts';
import type { DeliveryDocument } from '../../../notifications/endpoints/endpoint-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { Turning } from '../../components/pager.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { NextAttempt } from './endpoint-badge.tsx';
import { PostButton } from '../repositories/post-button.tsx';

export interface DeliveriesProps {
  /** the page of the endpoint */
  readonly path: string;
  readonly deliveries: readonly DeliveryDocument[];
  /** of the next page; null: this is the last one */
  readonly next: string | null;
  /** true: the list begins with the newest */
  readonly isFirst: boolean;
  /** seconds until the page is fetched again, because an attempt is due; undefined: none is */
  readonly refreshSeconds: number | undefined;
}

export function Deliveries({ path, deliveries, next, isFirst, refreshSeconds }: DeliveriesProps): Child {
  return (
    <section
      id="deliveries"
      class="stack"
      {...(refreshSeconds === undefined ? {} : { 'data-refresh': String(refreshSeconds) })}
    >
      <div class="page-head">
        <div>
          <h2>Last deliveries</h2>
        </div>
        {deliveries.length === 0 ? null : (
          <ButtonLink to={`${path}/replay`} icon="rotate-ccw" label="Send again since a time" />
        )}
      </div>
      <Table
        caption="Deliveries"
        columns={columnsOf(path)}
        rows={deliveries}
        empty={isFirst ? 'No event was handed to it yet.' : 'There are no older ones.'}
      />
      <Turning first={isFirst ? undefined : path} next={next === null ? undefined : `${path}?before=${next}`} />
    </section>
  );
}

function columnsOf(path: string): readonly Column<DeliveryDocument>[] {
  return [
    { label: 'Event', cell: EventCell },
    { label: 'Happened', cell: ({ at }) => <Time at={at} /> },
    { label: 'State', isPlain: true, cell: (delivery) => <StateCell delivery={delivery} /> },
    {
      label: 'Again',
      isPlain: true,
      // a test is sent again by another test
      cell: ({ id, type }) =>
        type === testType ? null : (
          <PostButton action={`${path}/deliveries/${id}/replay`} icon="rotate-ccw" kind="small">
            Send again
          </PostButton>
        ),
    },
  ];
}

function EventCell({ id, type, data }: DeliveryDocument): Child {
  return (
    <div class="stack-tight">
      <strong class="breaks">{eventText({ type, data }).title}</strong>
      <span class="small soft breaks">{`${type} · ${id}`}</span>
      <details>
        <summary class="small">Data</summary>
        <CodeBlock label={`the data of ${id}`} text={JSON.stringify(data, null, 2)} />
      </details>
    </div>
  );
}

const states: Readonly<Record<DeliveryDocument['state'], readonly [kind: State, words: string]>> = {
  pending: ['warn', 'waiting'],
  delivered: ['good', 'delivered'],
  failed: ['bad', 'failed'],
  hidden: ['info', 'not sent: its token no longer sees it'],
};

function StateCell({ delivery }: { readonly delivery: DeliveryDocument }): Child {
  const { state, attempts, next_at: next } = delivery;
  const [kind, words] = states[state];
  const latest = attempts.at(-1);
  return (
    <div class="stack-tight">
      <span>
        <Badge kind={kind} label={words} />
      </span>
      {next === null ? null : (
        <span class="small">
          {'Next attempt: '}
          <NextAttempt at={next} />
        </span>
      )}
      {latest === undefined ? null : <Attempt attempt={latest} />}
      {attempts.length < 2 ? null : (
        <details>
          <summary class="small">{formatCount(attempts.length, 'attempt')}</summary>
          <ol class="plain">
            {attempts.toReversed().map((attempt) => (
              <li>
                <Attempt attempt={attempt} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryDocument['attempts'][number] }): Child {
  return (
    <span class="small breaks">
      <Time at={attempt.at} />
      {`: ${attemptWords(attempt)}`}
    </span>
  );
}

function attemptWords({ status, error, milliseconds }: DeliveryDocument['attempts'][number]): string {
  const answer = status === null ? 'no answer' : `HTTP ${status}`;
  return `${answer} after ${formatNumber(milliseconds)} ms${error === null ? '' : `. ${error}`}`;
}

export function TestOutcome({ delivery }: { readonly delivery: DeliveryDocument }): Child {
  const attempt = delivery.attempts.at(-1);
  const words = attempt === undefined ? '' : attemptWords(attempt);
  return delivery.state === 'delivered' ? (
    <Notice kind="good">{`The test arrived: ${words}.`}</Notice>
  ) : (
    <Notice kind="bad">{`The test did not arrive: ${words}`}</Notice>
  );
}
