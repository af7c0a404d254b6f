// The pages that connect an owner, with a look at what would be registered before anything is stored.

import { useContext, type Child } from 'hono/jsx';
import { forgeNames, forgeTitles } from '../../../forges/model/forge-name.ts';
import type { GivenConnection, PlanDocument, StepDocument } from '../../../forges/connection-schema.ts';
import { createConnection, planConnection, type ConnectionServices } from '../../../forges/operations.ts';
import { Form, SelectField, TextField } from '../../components/form.tsx';
import { hrefTo, PlaceContext } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor, filledIn, linkable } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { postedForm, type FormFields, type FormState } from '../../request/form-fields.ts';
import {
  ConnectionCredentialFields,
  connectionCredentialsOf,
  connectionFieldOf,
  ConnectionSelectionFields,
  connectionSelectionOf,
  withoutCredentials,
} from './connection-fields.tsx';
import { connectionPath, connectionsTrail } from './services.ts';
import { skipReasons } from '../../../forges/model/forge-repository.ts';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';

const path = '/connections/new';
const planPath = `${path}/plan`;

export function registerAddingConnections(pages: Pages, services: ConnectionServices): void {
  pages.form({
    path,
    operation: 'createConnection',
    fieldOf: connectionFieldOf,
    show: (request, state) => newView(request, filledIn(linkable(createConnection), request, state)),
    submit: async (request, fields) => {
      const connection = await callFor(services, request, createConnection, draftOf(fields));
      return { to: connectionPath(connection), notice: 'connected' };
    },
  });
  pages.form({
    path: planPath,
    operation: 'planConnection',
    fieldOf: connectionFieldOf,
    awaitsBuilder: true,
    show: (request, state) => newView(request, state),
    submit: async (request, fields) => {
      const plan = await callFor(services, request, planConnection, draftOf(fields));
      return newView(request, postedForm(fields), plan);
    },
  });
}

function draftOf(fields: FormFields): GivenConnection {
  const forge = forgeNames.find((name) => name === fields.text('forge')) ?? 'github';
  return {
    forge,
    url: fields.optional('url'),
    owner: fields.text('owner'),
    ...connectionSelectionOf(fields),
    credentials: connectionCredentialsOf(fields, forge),
  };
}

function newView({ asksPassword }: SignedInRequest, posted: FormState, plan?: PlanDocument): PageView {
  const sentence = 'The registry registers all its repositories that have a composer.json with a name.';
  return headedPage(
    { section: 'repositories', title: 'Connect an owner', sentence, trail: connectionsTrail },
    <>
      {plan === undefined ? null : <PlanPanel plan={plan} />}
      <Form
        state={withoutCredentials(posted)}
        action={path}
        submit="Connect"
        cancel="/connections"
        asksPassword={asksPassword}
        hasOtherButtons
      >
        <div class="ways stack">
          <PlaceFields />
          <ConnectionCredentialFields />
        </div>
        <ConnectionSelectionFields />
        <PlanButton />
      </Form>
    </>,
  );
}

function PlaceFields(): Child {
  const choices = forgeNames.map((value) => ({
    value,
    label: value === 'gitea' ? 'Gitea or Forgejo' : forgeTitles[value],
  }));
  return (
    <>
      <SelectField name="forge" label="Forge" choices={choices} />
      <TextField
        name="url"
        label="Address"
        type="url"
        hint="Only for your own server, such as https://git.example.org. Empty: the public service."
      />
      <TextField
        name="owner"
        label="Owner"
        hint="An organisation, a group with its parents (acme/php), a workspace, or a user."
        required
      />
    </>
  );
}

/** Posts the same form to the page that shows the plan. */
function PlanButton(): Child {
  return (
    <div class="row">
      <button class="button" formaction={hrefTo(useContext(PlaceContext), planPath)} formnovalidate>
        Show what would be registered
      </button>
    </div>
  );
}

// What a connection would register, before it is stored.

const maxRows = 200;

function PlanPanel({ plan: { finished, message, steps } }: { readonly plan: PlanDocument }): Child {
  const found = steps.filter(({ step }) => step === 'registered');
  const shown = [...found, ...steps.filter(({ step }) => step !== 'registered')].slice(0, maxRows);
  const isMore = steps.length > shown.length;
  return (
    <section class="stack">
      <Notice kind={finished ? 'good' : 'warn'}>
        {`${formatCount(found.length, 'repository', 'repositories')} would be registered.`}
        {message === null ? null : ` ${message}`} Nothing is stored yet. Enter the token again to connect.
      </Notice>
      {shown.length === 0 ? null : <Table caption="What would be registered" columns={columns} rows={shown} />}
      {isMore ? <p class="soft small">{`and ${steps.length - shown.length} more`}</p> : null}
    </section>
  );
}

const columns: readonly Column<StepDocument>[] = [
  { label: 'Repository', cell: ({ path }) => path },
  { label: 'Package', cell: (step) => (step.step === 'registered' ? <code>{step.package}</code> : '') },
  { label: 'Why not', cell: (step) => (step.reason === undefined ? '' : skipReasons[step.reason]) },
];
