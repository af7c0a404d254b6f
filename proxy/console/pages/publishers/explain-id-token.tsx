// Explains an ID token: what this publisher accepts of it and what not, and whether another publisher accepts it.

import type { Child } from 'hono/jsx';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';
import type { ExplainedPublisher, IdTokenExplanation } from '../../../publishers/tokens/explain-id-token.ts';
import { Form, TextArea } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { Table } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { emptyForm, fieldFault, type FormState } from '../../request/form-fields.ts';
import { CiRun } from '../ci-run.tsx';
import { publisherOf, publisherPath, publisherTrail, type PublisherPageServices } from './services.ts';

export function registerIdTokenExplanation(pages: Pages, services: PublisherPageServices): void {
  pages.form({
    path: '/publishers/:id/explain',
    operation: 'explainIdToken',
    show: async (request, state) => explainView(await publisherOf(services, request), state, undefined),
    submit: async (request, fields) => {
      const token = fields.text('token');
      if (token === '') throw fieldFault('token', 'Paste an ID token: three parts with dots between them.');
      return explained(services, request, token);
    },
  });
}

/** The page shows no token again: it may still be valid. */
async function explained(services: PublisherPageServices, request: SignedInRequest, token: string): Promise<PageView> {
  const record = await publisherOf(services, request);
  return explainView(record, emptyForm, await services.oidc.explain(token));
}

function explainView(
  record: PublisherDocument,
  state: FormState,
  explanation: IdTokenExplanation | undefined,
): PageView {
  const shown = { ...state, fields: state.fields.without(['token']) };
  return headedPage(
    { section: 'publishers', title: `Explain an ID token for ${record.name}`, trail: publisherTrail(record) },
    <>
      {explanation === undefined ? null : <Explained record={record} explanation={explanation} />}
      <ExplainForm record={record} state={shown} />
    </>,
  );
}

export function ExplainForm({
  record,
  state,
}: {
  readonly record: PublisherDocument;
  readonly state: FormState;
}): Child {
  return (
    <section class="stack">
      <h2>Explain an ID token</h2>
      <Form state={state} submit="Explain" action={`${publisherPath(record)}/explain`}>
        <TextArea
          name="token"
          label="ID token"
          hint="Of a job that was refused. It may have expired, and it is not used up."
          rows={4}
          autocomplete="off"
          spellcheck={false}
        />
      </Form>
    </section>
  );
}

interface ExplainedProps {
  readonly record: PublisherDocument;
  readonly explanation: IdTokenExplanation;
}

function Explained({ record, explanation }: ExplainedProps): Child {
  const { problem, run, publishers } = explanation;
  const own = publishers.find((one) => one.record.id === record.id);
  const accepting = publishers.filter((one) => one !== own && one.mismatches.length === 0);
  return (
    <section id="explanation" class="stack">
      <h2>The answer</h2>
      <Verdict {...{ record, explanation }} own={own} />
      {run === null ? null : (
        <p>
          The ID token says: <CiRun run={{ ...run, publisher: record.id }} />
        </p>
      )}
      {own === undefined || own.mismatches.length === 0 ? null : <Mismatches {...own} />}
      {accepting.length === 0 ? null : (
        <p>
          {problem === null ? 'These publishers accept it: ' : 'The rules of these publishers fit: '}
          {accepting.map(({ record: other }, at) => (
            <>
              {at === 0 ? '' : ', '}
              <A to={publisherPath(other)}>{other.name}</A>
            </>
          ))}
        </p>
      )}
    </section>
  );
}

function Verdict({
  record,
  explanation: { problem, issuer },
  own,
}: ExplainedProps & { readonly own: ExplainedPublisher | undefined }): Child {
  const fits = own?.mismatches.length === 0;
  if (problem === null && fits)
    return (
      <Notice kind="good">
        {`Accepted: the job gets a ${record.purpose === 'publish' ? 'write' : 'read'} token for ${record.token_minutes} minutes.`}
      </Notice>
    );
  return (
    <>
      {problem === null ? null : <Notice kind="bad">{`Refused now. ${problem}`}</Notice>}
      {issuer === null || fits ? null : (
        <Notice kind="bad">
          {own === undefined
            ? `It comes from ${issuer.url}, and this publisher trusts ${record.issuer}.`
            : 'This publisher refuses the job. These claims do not match:'}
        </Notice>
      )}
      {problem !== null && fits ? <Notice kind="info">All rules of this publisher fit the job.</Notice> : null}
    </>
  );
}

function Mismatches({ mismatches }: ExplainedPublisher): Child {
  return (
    <Table
      caption="Claims that do not match"
      columns={[
        { label: 'Claim', cell: ({ claim }) => <code class="breaks">{claim}</code> },
        { label: 'Expected', cell: ({ expected }) => <span class="breaks">{expected}</span> },
        {
          label: 'In the ID token',
          cell: ({ found }) =>
            found === null ? <span class="soft">missing</span> : <code class="breaks">{found}</code>,
        },
      ]}
      rows={mismatches}
    />
  );
}
