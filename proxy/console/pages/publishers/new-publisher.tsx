// The page that makes a publisher.

import type { Child } from 'hono/jsx';
import { kindTitles, type Issuer } from '../../../publishers/model/issuer.ts';
import { Form, SelectField, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, withLineFaults, type FormFields, type FormState } from '../../request/form-fields.ts';
import { publisherDraftOf, publisherLists } from './publisher-draft.ts';
import { JobFields, TokenFields } from './publisher-fields.tsx';
import { publisherPath, publishersFor, publishersTrail, type PublisherPageServices } from './services.ts';

export function registerMakingPublishers(pages: Pages, services: PublisherPageServices): void {
  pages.form({
    path: '/publishers/new',
    operation: 'createPublisher',
    show: (request, state) => newView(services, request, state),
    submit: (request, fields) => create(services, request, fields),
  });
}

async function create(
  services: PublisherPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const issuer = services.issuers.find(({ url }) => url === fields.text('issuer'));
  if (issuer === undefined) throw fieldFault('issuer', 'Choose one of these CI systems.');
  const purpose = fields.text('purpose') === 'read' ? 'read' : 'publish';
  const draft = { ...publisherDraftOf(fields, purpose), issuer: issuer.url, purpose } as const;
  const record = await publishersFor(services, request).create(draft);
  return { to: publisherPath(record), notice: 'made' };
}

function newView({ issuers }: PublisherPageServices, request: SignedInRequest, posted: FormState): PageView {
  const state = withLineFaults(posted, publisherLists);
  const title = 'New publisher';
  return {
    title,
    section: 'publishers',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The jobs of one repository may exchange their ID token for a token that ends within the hour."
          trail={publishersTrail}
        />
        {issuers.length === 0 ? (
          <Notice kind="warn">
            This registry accepts ID tokens of no CI system. Name some in the setting <code>oidcIssuers</code>, and
            restart the server.
          </Notice>
        ) : null}
        <Form state={state} submit="Make the publisher" cancel="/publishers" asksPassword={request.asksPassword}>
          <div class="ways stack">
            <BeginningFields issuers={issuers} />
            <JobFields isNew />
            <TokenFields />
          </div>
        </Form>
      </>
    ),
  };
}

/** The issuer and the purpose never change later. */
function BeginningFields({ issuers }: { readonly issuers: readonly Issuer[] }): Child {
  return (
    <>
      <SelectField
        name="purpose"
        label="Purpose"
        hint="A release job publishes. A job that tests or deploys only reads."
        choices={[
          { value: 'publish', label: 'publish packages' },
          { value: 'read', label: 'read packages' },
        ]}
      />
      <SelectField
        name="issuer"
        label="CI system"
        hint="The setting oidcIssuers adds others."
        choices={issuers.map(({ url, kind }) => ({ value: url, label: `${kindTitles[kind]}: ${url}` }))}
      />
      <TextField
        name="name"
        label="Name"
        hint="For people, such as Release of acme/app. Empty: the repository."
        maxlength={100}
        autocomplete="off"
      />
    </>
  );
}
