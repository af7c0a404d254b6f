// The forms about publishers: a new one, a changed one, and the question before its removal.

import type { Child } from 'hono/jsx';
import { kindTitles, type Issuer } from '../../../publishers/model/issuer.ts';
import { longestName } from '../../../publishers/model/publisher.ts';
import { createPublisher, deletePublisher, publisherRemoval, updatePublisher } from '../../../publishers/operations.ts';
import { SelectField, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import type { FormPage } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault } from '../../request/form-fields.ts';
import { publisherChanges, publisherDraftOf, publisherLists, publisherValues } from './publisher-draft.ts';
import { JobFields, PackagesField, RepositoryField, TokenFields } from './publisher-fields.tsx';
import { publisherOf, publisherPath, publishersTrail, publisherTrail, type PublisherPageServices } from './services.ts';

const section = 'publishers';

export function registerPublisherForms(pages: Pages, services: PublisherPageServices): void {
  for (const form of [newPublisher, editedPublisher, removedPublisher]) pages.form(form(services));
}

const newPublisher = (services: PublisherPageServices): FormPage =>
  operationForm(services, createPublisher, {
    section,
    lists: publisherLists,
    linkedValue: (name, text) => (name === 'issuer' ? issuerOf(services, text) : text),
    view: () => ({
      title: 'Create publisher',
      sentence: 'The jobs of one repository may exchange their ID token for a token that ends within the hour.',
      trail: publishersTrail,
      notice: services.issuers.length === 0 ? <NoIssuer /> : null,
      submit: 'Create publisher',
      fields: (
        <div class="ways stack">
          <BeginningFields issuers={services.issuers} />
          <RepositoryField />
          <PackagesField />
          <JobFields isNew>
            <NameField />
          </JobFields>
          <TokenFields />
        </div>
      ),
    }),
    input: (_request, fields) => {
      const issuer = services.issuers.find(({ url }) => url === fields.text('issuer'));
      if (issuer === undefined) throw fieldFault('issuer', 'Choose one of these CI systems.');
      const purpose = fields.text('purpose') === 'read' ? 'read' : 'publish';
      return { ...publisherDraftOf(fields, purpose), issuer: issuer.url, purpose };
    },
    done: (publisher) => ({ to: publisher === undefined ? '/publishers' : publisherPath(publisher), notice: 'made' }),
  });

const editedPublisher = (services: PublisherPageServices): FormPage =>
  operationForm(services, updatePublisher, {
    section,
    lists: publisherLists,
    of: publisherOf,
    view: (publisher) => ({
      title: `Edit ${publisher.name}`,
      sentence:
        'The changes count for the next exchange. The tokens that jobs have now end at once, unless only the name, ' +
        'the minutes or the exchanges change.',
      trail: publisherTrail(publisher),
      submit: 'Save changes',
      values: publisherValues(publisher),
      fields: (
        <>
          <TextField name="name" label="Name" hint="For people." maxlength={longestName} required />
          <RepositoryField />
          <PackagesField purpose={publisher.purpose} />
          <JobFields isNew={false} />
          <TokenFields purpose={publisher.purpose} />
        </>
      ),
    }),
    input: async (request, fields) => {
      const publisher = await publisherOf(services, request);
      const patch = publisherChanges(publisher, fields);
      return patch && { ...patch, id: publisher.id };
    },
    done: (publisher, request) => ({
      to: publisherPath({ id: request.param('id') }),
      notice: publisher === undefined ? 'same' : 'saved',
    }),
  });

const removedPublisher = (services: PublisherPageServices): FormPage =>
  operationForm(services, deletePublisher, {
    section,
    of: publisherOf,
    view: (publisher) => ({
      title: `Remove ${publisher.name}?`,
      sentence: publisherRemoval,
      trail: publisherTrail(publisher),
      submit: 'Remove publisher',
    }),
    done: () => ({ to: '/publishers', notice: 'removed' }),
  });

/** A command names an issuer by its address or by its kind, and the form by its address. */
function issuerOf({ issuers }: PublisherPageServices, text: string): string {
  const [found, ...others] = issuers.filter(({ url, kind }) => url === text || kind === text);
  return found === undefined || others.length > 0 ? text : found.url;
}

function NoIssuer(): Child {
  return (
    <Notice kind="warn">
      This registry accepts ID tokens of no CI system. Name some in the setting <code>oidcIssuers</code>, and restart
      the server.
    </Notice>
  );
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
    </>
  );
}

function NameField(): Child {
  return (
    <TextField
      name="name"
      label="Name"
      hint="For people, such as Release of acme/app. Empty: the repository."
      maxlength={longestName}
      autocomplete="off"
    />
  );
}
