// The page that changes a publisher, and the question before its removal.

import type { PublisherRecord } from '../../../publishers/model/publisher.ts';
import { Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { withLineFaults, type FormFields, type FormState } from '../../request/form-fields.ts';
import { fieldsOfPublisher, publisherChanges, publisherLists } from './publisher-draft.ts';
import { JobFields, TokenFields } from './publisher-fields.tsx';
import { publisherOf, publisherPath, publishersFor, publisherTrail, type PublisherPageServices } from './services.ts';

export function registerEditingPublishers(pages: Pages, services: PublisherPageServices): void {
  pages.form({
    path: '/publishers/:id/edit',
    operation: 'updatePublisher',
    show: async (request, state) => editView(request, await publisherOf(services, request), state),
    submit: (request, fields) => update(services, request, fields),
  });
  pages.form({
    path: '/publishers/:id/remove',
    operation: 'deletePublisher',
    show: async (request, state) => removalView(request, await publisherOf(services, request), state),
    submit: async (request) => {
      await publishersFor(services, request).remove(request.param('id'));
      return { to: '/publishers', notice: 'removed' };
    },
  });
}

async function update(
  services: PublisherPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  const record = await publisherOf(services, request);
  const patch = publisherChanges(record, fields);
  if (patch === undefined) return { to: publisherPath(record), notice: 'same' };
  await publishersFor(services, request).update(record.id, patch);
  return { to: publisherPath(record), notice: 'saved' };
}

function editView({ asksPassword }: SignedInRequest, record: PublisherRecord, posted: FormState): PageView {
  const title = `Edit ${record.name}`;
  const state = posted.isPosted ? posted : { ...posted, isPosted: true, fields: fieldsOfPublisher(record) };
  return {
    title,
    section: 'publishers',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The changes count for the next exchange. The tokens that jobs have now end at once, unless only the name, the minutes or the exchanges change."
          trail={publisherTrail(record)}
        />
        <Form
          state={withLineFaults(state, publisherLists)}
          submit="Save changes"
          cancel={publisherPath(record)}
          asksPassword={asksPassword}
        >
          <TextField name="name" label="Name" hint="For people." maxlength={100} required />
          <JobFields isNew={false} />
          <TokenFields purpose={record.purpose} />
        </Form>
      </>
    ),
  };
}

function removalView({ asksPassword }: SignedInRequest, record: PublisherRecord, state: FormState): PageView {
  const title = `Remove ${record.name}?`;
  return {
    title,
    section: 'publishers',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Its CI jobs can no longer get tokens. Current tokens are revoked."
          trail={publisherTrail(record)}
        />
        <Form {...{ state, asksPassword }} submit="Remove publisher" isDanger cancel={publisherPath(record)} />
      </>
    ),
  };
}
