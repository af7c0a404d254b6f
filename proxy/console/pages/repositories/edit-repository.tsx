// The pages that change the interval, the filters and the credentials of a repository. Its place never changes.

import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormFields, FormState } from '../../request/form-fields.ts';
import type { RepositoryRecord } from '../../../sync/repository.ts';
import { repositoryCredentialsOf, repositoryFieldOf, fieldsOfRepository, patchOf } from './draft-fields.ts';
import { RepositoryCredentialFields, FilterFields, IntervalField, withoutSecrets } from './draft-form.tsx';
import { credentialsWords } from './repository-words.tsx';
import { repositoriesFor, repositoryPath, type RepositoryPageServices } from './services.ts';

export function registerEditingRepositories(pages: Pages, services: RepositoryPageServices): void {
  const recordOf = (request: SignedInRequest): Promise<RepositoryRecord> =>
    repositoriesFor(services, request).get(request.param('id'));
  pages.form({
    path: '/repositories/:id/edit',
    operation: 'updateRepository',
    fieldOf: repositoryFieldOf,
    show: async (request, state) => editView(request, await recordOf(request), state),
    submit: async (request, fields) => edit(services, request, await recordOf(request), fields),
  });
  pages.form({
    path: '/repositories/:id/credentials',
    operation: 'updateRepository',
    fieldOf: repositoryFieldOf,
    show: async (request, state) => credentialsView(request, await recordOf(request), state),
    submit: async (request, fields) => {
      const record = await recordOf(request);
      await repositoriesFor(services, request).update(record.id, { credentials: repositoryCredentialsOf(fields) });
      return { to: repositoryPath(record), notice: 'credentials' };
    },
  });
}

async function edit(
  services: RepositoryPageServices,
  request: SignedInRequest,
  record: RepositoryRecord,
  fields: FormFields,
): Promise<PageOutcome> {
  const patch = patchOf(record, fields);
  if (patch !== undefined) await repositoriesFor(services, request).update(record.id, patch);
  return { to: repositoryPath(record), notice: patch === undefined ? 'same' : 'saved' };
}

function trailOf(record: RepositoryRecord) {
  return [
    { label: 'Repositories', to: '/repositories' },
    { label: record.url, to: repositoryPath(record) },
  ];
}

function editView({ asksPassword }: SignedInRequest, record: RepositoryRecord, posted: FormState): PageView {
  const title = `Edit ${record.url}`;
  const state: FormState = posted.isPosted
    ? withoutSecrets(posted)
    : { ...posted, isPosted: true, fields: fieldsOfRepository(record) };
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Changes apply with the next sync. Versions that a filter then leaves out are withdrawn."
          trail={trailOf(record)}
        />
        <Form state={state} submit="Save changes" cancel={repositoryPath(record)} asksPassword={asksPassword}>
          <IntervalField current={record.interval} />
          <FilterFields />
        </Form>
      </>
    ),
  };
}

function credentialsView({ asksPassword }: SignedInRequest, record: RepositoryRecord, posted: FormState): PageView {
  const state = withoutSecrets(posted);
  const title = `Replace the credentials of ${record.url}`;
  const now =
    record.credentials_kind === null
      ? 'It has none now.'
      : `It has these now: ${credentialsWords[record.credentials_kind]}. “none” removes them.`;
  return {
    title,
    section: 'repositories',
    content: (
      <>
        <PageHead title={title} sentence={`${now} The next sync uses the new ones.`} trail={trailOf(record)} />
        <Form state={state} submit="Replace credentials" cancel={repositoryPath(record)} asksPassword={asksPassword}>
          <RepositoryCredentialFields isAgain={state.isPosted} />
        </Form>
      </>
    ),
  };
}
