// The facts of a publisher: which jobs it trusts, what their tokens may do, and how often it was used.

import type { Child } from 'hono/jsx';
import { describeLimits } from '../../../auth/token-limit-text.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { Fact } from '../../components/fact.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { refWords, workflowClaimWords } from './publisher-fields.tsx';
import { IdsBadge, LastRun } from './publisher-list.tsx';

interface FactsProps {
  readonly publisher: PublisherDocument;
  /** you, an e-mail address */
  readonly author: string;
}

export function PublisherFacts(props: FactsProps): Child {
  return (
    <dl class="facts wide panel">
      <JobFacts {...props} />
      <TokenFacts {...props} />
      <UseFacts {...props} />
    </dl>
  );
}

function JobFacts({ publisher }: FactsProps): Child {
  const { issuer, repository, workflow, environment, refs, claims } = publisher;
  return (
    <>
      <Fact label="CI system" value={<span class="breaks">{issuer}</span>} />
      <Fact label="Repository">{maybe(repository, 'not named')}</Fact>
      <Fact label="Ids" value={<Ids publisher={publisher} />} />
      <Fact label="Workflow file">
        {workflow === null ? 'any' : <code class="breaks">{workflow}</code>}
        {workflow === null ? null : <div class="small soft">{workflowClaimWords[publisher.workflow_claim]}</div>}
      </Fact>
      <Fact label="Environment">{maybe(environment, 'any')}</Fact>
      <Fact label="Tags and branches">{refWords[refs]}</Fact>
      {Object.entries(claims).map(([claim, value]) => (
        <Fact label={claim} value={<code class="breaks">{value}</code>} />
      ))}
    </>
  );
}

function TokenFacts({ publisher }: FactsProps): Child {
  const { purpose, packages, token_minutes: minutes } = publisher;
  const limits = describeLimits({ ...publisher, packages: null, networks: null });
  return (
    <>
      <Fact label={purpose === 'publish' ? 'Publishes' : 'Reads'}>
        {packages === null ? 'all packages' : <code class="breaks">{packages.join(' ')}</code>}
      </Fact>
      {limits.map(([label, value]) => (
        <Fact label={label.charAt(0).toUpperCase() + label.slice(1)} value={<span class="breaks">{value}</span>} />
      ))}
      <Fact label="A token ends after">{formatCount(minutes, 'minute')}</Fact>
    </>
  );
}

function UseFacts({ publisher, author }: FactsProps): Child {
  const { exchanges, created_at: at } = publisher;
  return (
    <>
      <Fact label="This hour">{`${formatNumber(exchanges.used)} of ${formatCount(exchanges.limit, 'exchange')}`}</Fact>
      <Fact label="Last run" value={<LastRun publisher={publisher} />} />
      <Fact label="Made">
        <Time at={at} /> by {author}
      </Fact>
    </>
  );
}

function maybe(text: string | null, none: string): Child {
  return text === null ? none : <span class="breaks">{text}</span>;
}

function Ids({ publisher }: Omit<FactsProps, 'author'>): Child {
  const { owner_id: owner, ids_learnt_at: learnt } = publisher;
  const repository = publisher.repository_id ?? publisher.shared_repository_id;
  return (
    <div class="stack-tight">
      <span>
        <IdsBadge {...publisher} issuer_accepted />
        {learnt === null ? null : (
          <>
            {' '}
            <Time at={learnt} />
          </>
        )}
      </span>
      {repository === null ? null : (
        <span class="small">
          repository <code class="breaks">{repository}</code>
        </span>
      )}
      {owner === null ? null : (
        <span class="small">
          owner <code class="breaks">{owner}</code>
        </span>
      )}
    </div>
  );
}
