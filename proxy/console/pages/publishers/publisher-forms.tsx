// The forms about publishers: a new one, a changed one, and the question before its removal.

import type { Child } from 'hono/jsx';
import { kindTitles, type Issuer } from '../../../publishers/model/issuer.ts';
import { longestName, refRules, workflowClaims, type Purpose } from '../../../publishers/model/publisher.ts';
import { createPublisher, deletePublisher, publisherRemoval, updatePublisher } from '../../../publishers/operations.ts';
import { SelectField, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import type { FormPage } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, FormFields, fieldFaults } from '../../request/form-fields.ts';
import { JobFields, PackagesField, RepositoryField, TokenFields } from './publisher-fields.tsx';
import { publisherOf, publisherPath, publishersTrail, publisherTrail, type PublisherPageServices } from './services.ts';
import type { PublisherDocument, PublisherFields } from '../../../publishers/records/publisher-schema.ts';
import type { FieldFault } from '../../../../build/contract/errors.ts';

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

// The fields of the forms that make and edit a publisher: from the form to the service, and from a publisher to the
// form. Pure.

/** The fields with one entry a line. */
const publisherLists = ['packages', 'claims', 'constraints'];

/** Throws INVALID_INPUT for lines without a value; the service checks the rest. */
function publisherDraftOf(fields: FormFields, purpose: Purpose): PublisherFields {
  const issues: FieldFault[] = [];
  const claims = pairsOf(fields, 'claims', /^([^\s=]+)\s*=\s*(.+)$/, 'claim = value', issues);
  const versions = pairsOf(fields, 'constraints', /^(\S+)\s+(?:=\s+)?(.+)$/, 'acme/core <3.0', issues);
  if (issues.length > 0) throw fieldFaults(issues);
  const packages = fields.lines('packages');
  return {
    name: fields.optional('name'),
    repository: fields.optional('repository') ?? null,
    repository_id: fields.optional('repository_id') ?? null,
    owner_id: fields.optional('owner_id') ?? null,
    workflow: fields.optional('workflow') ?? null,
    workflow_claim: workflowClaims.find((one) => one === fields.text('workflow_claim')),
    environment: fields.optional('environment') ?? null,
    refs: refRules.find((one) => one === fields.text('refs')),
    claims,
    token_minutes: numberIn(fields, 'token_minutes'),
    exchanges_per_hour: numberIn(fields, 'exchanges_per_hour'),
    packages: packages.length === 0 ? null : packages,
    // the form has these fields for every purpose
    ...(purpose === 'read' && {
      constraints: Object.keys(versions).length === 0 ? null : versions,
      // the service refuses an unknown one
      stability: (fields.optional('stability') ?? null) as PublisherFields['stability'],
      not_after: fields.optional('not_after') ?? null,
    }),
  };
}

/** What the form of a publisher shows at first. */
function publisherValues(record: PublisherDocument): Readonly<Record<string, string>> {
  const { packages, constraints, not_after: notAfter, claims } = record;
  const lines = (pairs: Readonly<Record<string, string>>, between: string): string =>
    Object.entries(pairs)
      .map(([key, value]) => `${key}${between}${value}`)
      .join('\n');
  return {
    name: record.name,
    repository: record.repository ?? '',
    repository_id: record.repository_id ?? '',
    owner_id: record.owner_id ?? '',
    workflow: record.workflow ?? '',
    workflow_claim: record.workflow_claim,
    environment: record.environment ?? '',
    refs: record.refs,
    claims: lines(claims, ' = '),
    token_minutes: String(record.token_minutes),
    exchanges_per_hour: String(record.exchanges_per_hour),
    packages: (packages ?? []).join('\n'),
    constraints: lines(constraints ?? {}, ' '),
    stability: record.stability ?? '',
    not_after: notAfter === null ? '' : notAfter.replace(/T23:59:59\.999Z$/, ''),
  };
}

/** What the form changes; undefined: nothing. Throws INVALID_INPUT. */
function publisherChanges(record: PublisherDocument, fields: FormFields): PublisherFields | undefined {
  const before = publisherDraftOf(new FormFields(new URLSearchParams(publisherValues(record))), record.purpose);
  const now = { ...publisherDraftOf(fields, record.purpose), name: fields.text('name') };
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function pairsOf(
  fields: FormFields,
  name: string,
  pattern: RegExp,
  example: string,
  issues: FieldFault[],
): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>();
  for (const line of fields.lines(name)) {
    const [, key = '', value = ''] = pattern.exec(line) ?? [];
    if (key === '') issues.push({ path: name, message: `“${line.slice(0, 80)}” is not of the form ${example}.` });
    else if (pairs.has(key)) issues.push({ path: name, message: `Two lines are about ${key}. Keep one of them.` });
    else pairs.set(key, value);
  }
  return Object.fromEntries(pairs);
}

/** undefined: the field is empty. NaN, which the service refuses, for a text that is no number. */
function numberIn(fields: FormFields, name: string): number | undefined {
  const text = fields.optional(name);
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
