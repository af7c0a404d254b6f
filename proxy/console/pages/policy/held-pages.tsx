// The releases that a rule holds for what they can newly do, and the form where a person decides about one.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Child } from 'hono/jsx';
import { storedPath } from '../../../artifacts/staged-artifacts.ts';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { decideHeldRelease } from '../../../policy/admin/held-operations.ts';
import type { HeldRelease } from '../../../policy/admin/held-in-package.ts';
import { stagedRule } from '../../../policy/admin/held-list.ts';
import { showHeld, type ShownHeld } from '../../../policy/admin/held-schema.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField, TextArea } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import type { FileDownload, FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import { PolicyFrame } from './policy-frame.tsx';
import { policyTrail, type PolicyPageServices } from './services.ts';

const path = '/policy/held';
const mostRows = 1000;

async function heldPage({ policyAdmin }: PolicyPageServices, request: SignedInRequest): Promise<PageView> {
  const [policy, { releases }] = await Promise.all([policyAdmin.get(), policyAdmin.held(request.caller)]);
  const held = releases.slice(0, mostRows).map(showHeld);
  return {
    title: 'Held releases',
    section: 'policy',
    content: (
      <PolicyFrame {...{ policy, request }} tab="held">
        {held.length === 0 ? (
          <EmptyState icon="shield-check" title="No release is held">
            A rule of the kind capability holds releases that can newly do something, such as run a file in every
            request. The command libretto policy protect adds one. The setting publishing.staged holds whole uploads.
          </EmptyState>
        ) : (
          <Table caption="Held releases" columns={columnsOf(request)} rows={held} />
        )}
      </PolicyFrame>
    ),
  };
}

function columnsOf({ may }: SignedInRequest): readonly Column<ShownHeld>[] {
  const decides = may('decideHeldRelease');
  return [
    {
      label: 'Release',
      cell: (held) => (
        <div class="stack-tight">
          <code class="breaks">{`${held.name} ${held.version}`}</code>
          {decides ? <A to={formOf(held)}>{`Decide about ${held.name} ${held.version}`}</A> : null}
        </div>
      ),
    },
    { label: 'Because', cell: ({ because }) => <span class="breaks">{because}</span> },
    { label: 'Arrived', cell: ({ arrived_at: at }) => <Time at={at} /> },
    { label: 'Rule', cell: ({ rule }) => rule },
  ];
}

function formOf({ name, version }: ShownHeld): string {
  return `${path}/${name}/${encodeURIComponent(version)}`;
}

/** Throws NOT_FOUND. */
async function heldOf({ policyAdmin }: PolicyPageServices, { param, caller }: SignedInRequest): Promise<HeldRelease> {
  const [name, version] = [`${param('vendor')}/${param('package')}`, param('version')];
  const found = (await policyAdmin.held(caller)).releases.find((one) => one.name === name && one.version === version);
  if (found !== undefined) return found;
  throw new RegistryError('NOT_FOUND', { message: 'No rule holds this release any more.' });
}

const decisions = [
  { value: 'approved', label: 'Approve' },
  { value: 'rejected', label: 'Reject' },
] as const;

const decisionForm = (services: PolicyPageServices): FormPage =>
  operationForm(services, decideHeldRelease, {
    section: 'policy',
    of: heldOf,
    view: (waiting) => {
      const held = showHeld(waiting);
      return {
        title: `${held.name} ${held.version}`,
        sentence:
          held.rule === stagedRule
            ? 'An approved release is published at once. A rejected one is removed, and its version is free again.'
            : 'An approved release is offered at once. A rejected one stays held without an end.',
        trail: [...policyTrail, { label: 'Held releases', to: path }],
        notice: <Facts held={held} />,
        submit: 'Save the decision',
        fields: (
          <>
            <SelectField name="decision" label="Decision" choices={decisions} />
            <TextArea name="reason" label="Reason" hint="For the audit log, and for people who ask." required />
            <input type="hidden" name="reference" value={held.reference} />
          </>
        ),
      };
    },
    input: (request, fields) => ({
      vendor: request.param('vendor'),
      package: request.param('package'),
      version: request.param('version'),
      decision: fields.text('decision') as 'approved' | 'rejected',
      reason: fields.text('reason'),
      reference: fields.text('reference'),
    }),
    done: (answer) => ({ to: path, notice: answer?.decided === false ? 'once' : 'decided' }),
  });

function Facts({ held }: { readonly held: ShownHeld }): Child {
  const { name, version, rule, because, gained } = held;
  const compare = (to: string, from?: string): string =>
    `/packages/${name}/compare?${new URLSearchParams({ ...(from !== undefined && { from }), to }).toString()}`;
  return (
    <ul>
      <li class="breaks">{`${because}.`}</li>
      {gained.map(({ text, brought_by: by, before }) => (
        <li class="breaks">
          {`${text}. ${before === null ? '' : `${before} did not; `}${by} brought it. `}
          {before !== null && <A to={compare(by, before)}>{`Compare ${before} and ${by}`}</A>}
        </li>
      ))}
      {rule === stagedRule && (
        <li>
          <A to={compare(version)}>Compare it with the release before</A>
        </li>
      )}
      {rule === stagedRule && (
        <li>
          <A to={`${formOf(held)}/archive`}>Download the archive</A>
        </li>
      )}
    </ul>
  );
}

const mostDownloaded = 64 * 1024 * 1024;

/** Throws NOT_FOUND. */
async function stagedArchive(services: PolicyPageServices, request: SignedInRequest): Promise<FileDownload> {
  const { staged } = await heldOf(services, request);
  const { dataDirectory } = services;
  if (staged === undefined || dataDirectory === undefined || staged.size > mostDownloaded)
    throw new RegistryError('NOT_FOUND', {
      message: 'This server has no such archive, or it has more than 64 MiB: then read it on the host of the registry.',
    });
  const bytes = await readFile(join(dataDirectory, storedPath(staged)));
  const name = `${staged.name.replace('/', '-')}-${staged.version.replaceAll('/', '-')}.zip`;
  return { file: { name, type: 'application/zip', bytes } };
}

export function registerHeldPages(pages: Pages, services: PolicyPageServices): void {
  pages.page({
    path,
    operation: 'listHeldReleases',
    notices: {
      decided: 'The decision is saved. It counts from the next request.',
      once: 'The approval is saved, and nothing has changed for clients: one more person has to approve.',
    },
    show: (request) => heldPage(services, request),
  });
  pages.page({
    path: `${path}/:vendor/:package/:version/archive`,
    operation: 'decideHeldRelease',
    show: (request) => stagedArchive(services, request),
  });
  pages.form(decisionForm(services));
}
