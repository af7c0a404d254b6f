// The page of a publisher: its rules, the last jobs with their tokens, the lines for the CI system, and the field for
// an ID token that it explains.

import type { Child } from 'hono/jsx';
import { tokenStatus } from '../../../core/tokens/token.ts';
import { kindTitles } from '../../../publishers/model/issuer.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import type { PublisherToken } from '../../../publishers/records/publisher-tokens.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { CiRun } from '../ci-run.tsx';
import type { CiLines } from './ci-lines.ts';
import { ExplainForm } from './explain-id-token.tsx';
import { PublisherFacts } from './publisher-facts.tsx';
import { repositoryWords } from './publisher-list.tsx';
import { publisherPath, publishersTrail } from './services.ts';

export interface PublisherPageProps {
  readonly publisher: PublisherDocument;
  /** newest first */
  readonly tokens: readonly PublisherToken[];
  /** or why there are none: the registry does not know its own address */
  readonly ci: CiLines | string;
  /** you, an e-mail address */
  readonly author: string;
  readonly state: FormState;
  readonly nowMs: number;
}

export function PublisherPage({ publisher, tokens, ci, author, state, nowMs }: PublisherPageProps): Child {
  const { name, purpose, kind } = publisher;
  const does = purpose === 'publish' ? 'publish packages' : 'read packages';
  return (
    <>
      <PageHead
        title={name}
        sentence={
          <span class="breaks">{`${kindTitles[kind]}: jobs of ${repositoryWords(publisher)} may ${does}.`}</span>
        }
        trail={publishersTrail}
        actions={<Actions path={publisherPath(publisher)} />}
      />
      <StateNotice publisher={publisher} />
      <PublisherFacts publisher={publisher} author={author} nowMs={nowMs} />
      <Lines ci={ci} />
      <LastTokens tokens={tokens} nowMs={nowMs} />
      <ExplainForm record={publisher} state={state} />
    </>
  );
}

function Actions({ path }: { readonly path: string }): Child {
  return (
    <>
      <ButtonLink to={`${path}/edit`} icon="pencil">
        Edit
      </ButtonLink>
      <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger">
        Remove
      </ButtonLink>
    </>
  );
}

/** Nothing for a publisher that jobs can use, with known ids. */
function StateNotice({
  publisher: { issuer_accepted: isAccepted, ids, issuer },
}: Pick<PublisherPageProps, 'publisher'>) {
  if (!isAccepted)
    return (
      <Notice kind="bad">
        {`The setting oidcIssuers no longer names ${issuer}, so no job can exchange. Add it again, or remove this publisher.`}
      </Notice>
    );
  if (ids === 'unknown')
    return (
      <Notice kind="info">
        The first job sets the ids of the repository and its owner. From then on, another repository with the same name
        is refused.
      </Notice>
    );
  return null;
}

function Lines({ ci }: Pick<PublisherPageProps, 'ci'>): Child {
  return (
    <section class="stack">
      <h2>Lines for the CI system</h2>
      {typeof ci === 'string' ? (
        <Notice kind="warn">{ci}</Notice>
      ) : (
        <>
          <p class="breaks">
            {ci.sentence} The job needs Node.js, and <code>REGISTRY_CLI</code> is the address of the package of{' '}
            <code>libretto</code>.
          </p>
          <CodeBlock label="the lines for the CI system" text={ci.text} />
        </>
      )}
    </section>
  );
}

function LastTokens({ tokens, nowMs }: Pick<PublisherPageProps, 'tokens' | 'nowMs'>): Child {
  return (
    <section class="stack">
      <h2>Last tokens</h2>
      {tokens.length === 0 ? (
        <p class="soft">No job has a token. Tokens are listed until a day after their end.</p>
      ) : (
        <Table
          caption="Last tokens"
          columns={[
            { label: 'Job', cell: ({ run }) => <CiRun run={run} /> },
            {
              label: 'Token',
              cell: ({ token }) => <A to={`/tokens/${token.id}`}>{tokenStatus(token, nowMs)}</A>,
            },
            { label: 'Exchanged', cell: ({ token }) => <Time at={token.created_at} nowMs={nowMs} /> },
          ]}
          rows={tokens}
        />
      )}
    </section>
  );
}
