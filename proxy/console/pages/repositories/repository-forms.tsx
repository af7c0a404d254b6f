// The forms about a registered repository: its interval and filters, its credentials, a sync, and its removal. Its
// place never changes.

import { RegistryError } from '../../../../build/contract/errors.ts';
import {
  deleteRepository,
  getRepository,
  replaceCredentials,
  syncRepository,
  updateRepository,
} from '../../../sync/operations.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { Form } from '../../components/form.tsx';
import { formatCount } from '../../components/values.tsx';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { filterFields, patchOf, repositoryCredentialsOf, repositoryFieldOf, valuesOf } from './draft-fields.ts';
import { FilterFields, IntervalField, RepositoryCredentialFields, withoutSecrets } from './draft-form.tsx';
import { credentialsWords } from './repository-words.tsx';
import { repositoryName } from '../source-names.ts';
import { repositoryPath, type RepositoryPageServices } from './services.ts';

const section = 'repositories';

export function registerRepositoryForms(pages: Pages, services: RepositoryPageServices): void {
  for (const form of [syncForm, editForm, credentialsForm, removeForm]) pages.form(form(services));
}

/** Leads to the job that runs, be it new or not. */
const syncForm = (services: RepositoryPageServices): FormPage =>
  operationForm(services, syncRepository, {
    section,
    of: repositoryOf,
    view: (repository) => ({
      title: `Sync ${repositoryName(repository)}?`,
      sentence: 'The registry reads the repository and publishes what changed in it.',
      trail: trailOf(repository),
      submit: 'Sync now',
    }),
    done: (job, request) => ({ to: `${pathOf(request)}${job === undefined ? '' : `/jobs/${job.id}`}` }),
  });

const editForm = (services: RepositoryPageServices): FormPage =>
  operationForm(services, updateRepository, {
    section,
    lists: filterFields,
    of: repositoryOf,
    view: (repository) => ({
      title: `Edit ${repositoryName(repository)}`,
      sentence: 'Changes apply with the next sync. Versions that a filter then leaves out are withdrawn.',
      trail: trailOf(repository),
      submit: 'Save changes',
      values: valuesOf(repository),
      fields: (
        <>
          <IntervalField current={repository.interval} />
          <FilterFields />
        </>
      ),
    }),
    input: async (request, fields) => {
      const repository = await repositoryOf(services, request);
      const patch = patchOf(repository, fields);
      return patch && { id: repository.id, ...patch };
    },
    done: (changed, request) => ({ to: pathOf(request), notice: changed === undefined ? 'same' : 'saved' }),
  });

/** Shows no secret again after a refusal. */
const credentialsForm = (services: RepositoryPageServices): FormPage => ({
  path: replaceCredentials.form ?? '',
  operation: 'updateRepository',
  fieldOf: repositoryFieldOf,
  show: async (request, state) => credentialsView(request, await repositoryOf(services, request), state),
  submit: async (request, fields) => {
    const credentials = repositoryCredentialsOf(fields);
    await callFor(services, request, replaceCredentials, { id: request.param('id'), credentials });
    return { to: pathOf(request), notice: 'credentials' };
  },
});

function credentialsView(
  { asksPassword }: SignedInRequest,
  repository: RepositoryDocument,
  posted: FormState,
): PageView {
  const state = withoutSecrets(posted);
  const title = `Replace the credentials of ${repositoryName(repository)}`;
  const now =
    repository.credentials === null
      ? 'It has none now.'
      : `It has these now: ${credentialsWords[repository.credentials]}. “none” removes them.`;
  return headedPage(
    { section, title, sentence: `${now} The next sync uses the new ones.`, trail: trailOf(repository) },
    <Form state={state} submit="Replace credentials" cancel={repositoryPath(repository)} asksPassword={asksPassword}>
      <RepositoryCredentialFields isAgain={state.isPosted} />
    </Form>,
  );
}

const mostNames = 40;

const removeForm = (services: RepositoryPageServices): FormPage =>
  operationForm(services, deleteRepository, {
    section,
    view: async (request) => {
      const repository = await repositoryOf(services, request);
      const packages = await publishedFrom(services, request);
      return {
        title: `Remove ${repositoryName(repository)}?`,
        sentence: whatHappens(repository, packages.length),
        trail: trailOf(repository),
        notice:
          packages.length === 0 ? null : (
            <ul>
              {packages.slice(0, mostNames).map((name) => (
                <li>
                  <code>{name}</code>
                </li>
              ))}
              {packages.length > mostNames ? <li>{`and ${packages.length - mostNames} more`}</li> : null}
            </ul>
          ),
        submit: 'Remove repository',
      };
    },
    input: (request) => ({ id: request.param('id'), confirm: request.param('id') }),
    done: (removed) => ({ to: '/repositories', notice: removed?.packages.length === 0 ? 'removed-empty' : 'removed' }),
  });

function whatHappens({ type }: RepositoryDocument, packages: number): string {
  if (type === 'composer')
    return 'The registry no longer asks it for packages. Its credentials and its syncs are deleted.';
  const ends = 'Its credentials and its syncs are deleted.';
  if (packages === 0) return `It withdraws nothing. ${ends}`;
  return (
    `It withdraws ${formatCount(packages, 'package')}: the registry no longer offers the versions from this repository, ` +
    `but existing lock files still install them, unless the policy blocks them. ${ends}`
  );
}

/** The operation names the packages when it refuses a removal without a confirmation. */
async function publishedFrom(services: RepositoryPageServices, request: SignedInRequest): Promise<readonly string[]> {
  try {
    await callFor(services, request, deleteRepository, { id: request.param('id') });
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
    const { packages } = error.details;
    return Array.isArray(packages) ? packages.map(String) : [];
  }
  throw new Error('a repository was removed without a confirmation');
}

/** The repository that the path names. Throws NOT_FOUND. */
function repositoryOf(services: RepositoryPageServices, request: SignedInRequest): Promise<RepositoryDocument> {
  return callFor(services, request, getRepository, { id: request.param('id') });
}

function pathOf(request: SignedInRequest): string {
  return repositoryPath({ id: request.param('id') });
}

function trailOf(repository: RepositoryDocument): readonly { readonly label: string; readonly to: string }[] {
  return [
    { label: 'Repositories', to: '/repositories' },
    { label: repositoryName(repository), to: repositoryPath(repository) },
  ];
}
