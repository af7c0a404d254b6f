// The pages that add a repository, with a check before it is saved. Its first sync starts at once.

import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { createRepository, syncRepository } from '../../../sync/operations.ts';
import { filtersOf } from '../../../sync/describe-repositories.ts';
import { Form } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { postedForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import type { Verification } from '../../../sync/repository-schema.ts';
import { anywayField, CheckPanel, checkPart, formId } from './check-panel.tsx';
import { repositoryDraftOf, repositoryFieldOf } from './draft-fields.ts';
import {
  RepositoryCredentialFields,
  FoldedFilterFields,
  IntervalField,
  PlaceFields,
  withoutSecrets,
} from './draft-form.tsx';
import { repositoryPath, type RepositoryPageServices } from './services.ts';

const path = '/repositories/new';
const checkPath = `${path}/check`;

export function registerAddingRepositories(pages: Pages, services: RepositoryPageServices): void {
  pages.form({
    path,
    operation: 'createRepository',
    awaitsBuilder: true,
    fieldOf: repositoryFieldOf,
    show: (_request, state) => newView(state),
    submit: (request, fields) => add(services, request, fields),
  });
  pages.form({
    path: checkPath,
    operation: 'createRepository',
    awaitsBuilder: true,
    fieldOf: repositoryFieldOf,
    show: (_request, state) => newView(state),
    submit: (request, fields) => check(services, request, fields),
  });
}

/**
 * Adds the repository, and starts its first sync. If it cannot be read, only the button "Add it anyway" adds it.
 */
async function add(
  services: RepositoryPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  if (!fields.checked(anywayField)) {
    const found = await verify(services, request, fields);
    if (!found.ok) return { ...newView(postedForm(fields), found), status: 400 };
  }
  const made = await callFor(services, request, createRepository, repositoryDraftOf(fields));
  try {
    const job = await callFor(services, request, syncRepository, { id: made.id });
    return {
      to: `${repositoryPath(made)}/jobs/${job.id}`,
      notice: made.type === 'composer' ? 'added-mirror' : 'added',
    };
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'OVERLOADED') throw error;
    return { to: repositoryPath(made), notice: 'added' };
  }
}

async function check(
  services: RepositoryPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<PageOutcome> {
  return newView(postedForm(fields), await verify(services, request, fields));
}

/** Nothing is stored: the draft is sealed in the memory of this process, and checked in a child process. */
async function verify(
  services: RepositoryPageServices,
  request: SignedInRequest,
  fields: FormFields,
): Promise<Verification> {
  const { type, url, credentials = null, interval = null, ...filters } = repositoryDraftOf(fields);
  const draft = { type, url, credentials, interval, filters: filtersOf(filters) };
  return services.verifier.verify(await services.repositoriesOf(actorOf(request.caller)).prepare(draft));
}

function newView(posted: FormState, found?: Verification): PageView {
  const state = withoutSecrets(posted);
  return {
    title: 'Add a repository',
    section: 'repositories',
    content: (
      <>
        <PageHead
          title="Add a repository"
          sentence="The registry checks that it can read it, and publishes its packages at once."
          trail={[{ label: 'Repositories', to: '/repositories' }]}
        />
        <div class="two-columns">
          <Form
            state={state}
            submit="Add repository"
            cancel="/repositories"
            action={path}
            id={formId}
            check={checkPart}
            hasOtherButtons
          >
            <PlaceFields />
            <RepositoryCredentialFields isAgain={state.isPosted} />
            <IntervalField />
            <FoldedFilterFields />
            <CheckButton />
          </Form>
          <div class="beside">
            <CheckPanel state={state} found={found} />
          </div>
        </div>
      </>
    ),
  };
}

/** With JavaScript the result appears beside the form, which keeps what was typed. */
function CheckButton(): Child {
  return (
    <div class="row">
      <button class="button" formaction={hrefTo(useContext(PlaceContext), checkPath)} data-check={checkPart}>
        <Icon name="search" />
        Check
      </button>
    </div>
  );
}
