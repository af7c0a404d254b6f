// The pages that add a repository, and what a check finds before it is saved. Its first sync starts at once.

import { useContext, type Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import { createRepository, syncRepository } from '../../../sync/operations.ts';
import { filtersOf } from '../../../sync/describe-repositories.ts';
import { Form } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { postedForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import type { Verification } from '../../../sync/repository-schema.ts';
import { repositoryDraftOf, repositoryFieldOf } from './draft-fields.ts';
import {
  RepositoryCredentialFields,
  FoldedFilterFields,
  IntervalField,
  PlaceFields,
  withoutSecrets,
} from './draft-form.tsx';
import { repositoryPath, type RepositoryPageServices } from './services.ts';
import { MarkedText, ReasonText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/values.tsx';

/** The id of the panel. */
const checkPart = 'check';

/** The id of the form beside it. */
const formId = 'repository';

/** The field of the button that adds what cannot be read. */
const anywayField = 'anyway';

const maxNames = 20;

interface CheckPanelProps {
  readonly state: FormState;
  /** undefined: nothing was checked */
  readonly found: Verification | undefined;
}

function CheckPanel({ state, found }: CheckPanelProps): Child {
  const faults = [...(state.refusal === undefined ? [] : [state.refusal]), ...state.faults.values()];
  return (
    <section id={checkPart} class="panel stack" role="status">
      <h2>Check</h2>
      {found === undefined && faults.length === 0 ? (
        <p class="soft">“Check” looks at the repository with these credentials, and stores nothing.</p>
      ) : null}
      {faults.length === 0 ? null : (
        <Notice kind="warn">
          {faults.map((fault) => (
            <p>
              <ReasonText text={fault} />
            </p>
          ))}
        </Notice>
      )}
      {found === undefined ? null : <Found {...found} />}
    </section>
  );
}

function Found(found: Verification): Child {
  const { ok, message, packages, problems } = found;
  if (!ok)
    return (
      <>
        <Notice kind="bad">
          It cannot be read: <MarkedText text={message ?? 'no reason was given'} />
        </Notice>
        <p>Nothing was stored. If address and credentials are right, add it anyway: later syncs try again.</p>
        <div>
          <button class="button" form={formId} name={anywayField} value="on">
            Add it anyway
          </button>
        </div>
      </>
    );
  return (
    <>
      <Notice kind="good">{`It can be read: ${contentWords(found)}.`}</Notice>
      <Names title="Packages" names={packages} />
      <Names title="Problems" names={problems} />
    </>
  );
}

function contentWords({
  tags,
  branches,
  default_branch: branch,
  package_count: count,
  packages,
}: Verification): string {
  if (tags !== null && branches !== null)
    return [
      formatCount(tags, 'tag'),
      formatCount(branches, 'branch', 'branches'),
      branch === null ? 'no default branch' : `default branch ${branch}`,
    ].join(', ');
  return formatCount(count ?? packages.length, 'package');
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }): Child {
  if (names.length === 0) return null;
  return (
    <div class="stack-tight">
      <h3>{title}</h3>
      <ul>
        {names.slice(0, maxNames).map((name) => (
          <li>{name}</li>
        ))}
        {names.length > maxNames ? <li>{`and ${names.length - maxNames} more`}</li> : null}
      </ul>
    </div>
  );
}

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
  const sentence = 'The registry checks that it can read it, and publishes its packages at once.';
  return headedPage(
    {
      section: 'repositories',
      title: 'Add a repository',
      sentence,
      trail: [{ label: 'Repositories', to: '/repositories' }],
    },
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
    </div>,
  );
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
