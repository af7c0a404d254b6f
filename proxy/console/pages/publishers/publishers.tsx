// The pages about trusted publishers: CI jobs that publish or read without a stored secret.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { publisherRows } from '../../../publishers/operations.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import { publisherTokens, type PublisherToken } from '../../../publishers/model/token-run.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, type FormState } from '../../request/form-fields.ts';
import { nameActor } from '../name-actor.ts';
import { ciLines, type CiLines } from './ci-lines.ts';
import { registerIdTokenExplanation, ExplainForm } from './explain-id-token.tsx';
import { keylessPatterns, registerKeylessOnly } from './keyless-only.tsx';
import { registerPublisherForms } from './publisher-forms.tsx';
import { publisherList, repositoryWords } from './publisher-list.tsx';
import { publisherOf, type PublisherPageServices, publisherPath, publishersTrail } from './services.ts';
import type { Child } from 'hono/jsx';
import { tokenStatus } from '../../../core/tokens/token.ts';
import { kindTitles } from '../../../publishers/model/issuer.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { Table } from '../../components/table.tsx';
import { Time, useNow } from '../../components/values.tsx';
import { CiRun } from '../ci-run.tsx';
import { PublisherFacts } from './publisher-facts.tsx';

interface PublisherPageProps {
  readonly publisher: PublisherDocument;
  /** newest first */
  readonly tokens: readonly PublisherToken[];
  /** or why there are none: the registry does not know its own address */
  readonly ci: CiLines | string;
  /** you, an e-mail address */
  readonly author: string;
  readonly state: FormState;
}

/**
 * The page of a publisher: its rules, the last jobs with their tokens, the lines for the CI system, and the field for
 * an ID token that it explains.
 */
function PublisherPage({ publisher, tokens, ci, author, state }: PublisherPageProps): Child {
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
      <PublisherFacts publisher={publisher} author={author} />
      <Lines ci={ci} />
      <LastTokens tokens={tokens} />
      <ExplainForm record={publisher} state={state} />
    </>
  );
}

function Actions({ path }: { readonly path: string }): Child {
  return (
    <>
      <ButtonLink to={`${path}/edit`} icon="pencil" label="Edit" />
      <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" label="Remove" />
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

function LastTokens({ tokens }: Pick<PublisherPageProps, 'tokens'>): Child {
  const nowMs = useNow();
  return (
    <section class="stack">
      <h2>Last tokens</h2>
      <Table
        caption="Last tokens"
        columns={[
          { label: 'Job', cell: ({ run }) => <CiRun run={run} /> },
          { label: 'Token', cell: ({ token }) => <A to={`/tokens/${token.id}`}>{tokenStatus(token, nowMs)}</A> },
          { label: 'Exchanged', cell: ({ token }) => <Time at={token.created_at} /> },
        ]}
        rows={tokens}
        empty="No job has a token. Tokens are listed until a day after their end."
      />
    </section>
  );
}

const maxTokens = 20;

export function registerPublisherPages(pages: Pages, services: PublisherPageServices): void {
  pages.page({
    path: '/publishers',
    operation: 'listPublishers',
    notices: {
      removed: 'The publisher is removed. The tokens of its jobs have ended.',
      keyless: 'The keyless only packages are saved. The next upload follows them.',
      'keyless-none': 'No package is keyless only any more.',
      same: 'Nothing was changed.',
    },
    show: (request) => showList(services, request),
  });
  registerPublisherForms(pages, services);
  registerKeylessOnly(pages, services);
  pages.page({
    path: '/publishers/:id',
    operation: 'getPublisher',
    notices: {
      made: 'The publisher is made. Copy the lines for the CI system below.',
      saved: 'The changes are saved.',
      same: 'Nothing was changed.',
    },
    show: (request) => showOne(services, request),
  });
  registerIdTokenExplanation(pages, services);
}

async function showList(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const rows = await publisherRows(services, request.nowMs);
  return publisherList(rows, await keylessPatterns(services));
}

async function showOne(services: PublisherPageServices, request: SignedInRequest): Promise<PageView> {
  const publisher = await publisherOf(services, request);
  const [tokens, author] = await Promise.all([
    publisherTokens(services.state, publisher.id, maxTokens),
    nameActor(services.state, publisher.created_by, request),
  ]);
  return {
    title: publisher.name,
    section: 'publishers',
    content: <PublisherPage {...{ publisher, tokens, author }} ci={linesFor(services, publisher)} state={emptyForm} />,
  };
}

/** The reason, if the registry does not know its address: no ID token can name it then. */
function linesFor({ oidc }: PublisherPageServices, publisher: PublisherDocument): CiLines | string {
  try {
    return ciLines(publisher, oidc.audience());
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_AVAILABLE') return error.message;
    throw error;
  }
}
