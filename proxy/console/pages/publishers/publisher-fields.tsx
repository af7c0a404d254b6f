// The fields of a publisher that can be changed later: which jobs it trusts, what their tokens may do, and how often.

import type { Child } from 'hono/jsx';
import {
  type Purpose,
  mostExchanges,
  standardExchanges,
  standardMinutes,
  textRules,
} from '../../../publishers/model/publisher.ts';
import { FoldedFields } from '../../components/folded-fields.tsx';
import { ReleaseFields } from '../../components/release-fields.tsx';
import { SelectField, TextArea, TextField, type Choice } from '../../components/form.tsx';

/** The fields of the jobs that most publishers have. */
export function RepositoryField(): Child {
  return (
    <TextField
      name="repository"
      label="Repository or project"
      hint="Its path at the forge, such as acme/app; at CircleCI with its host, such as github.com/acme/app. Bitbucket has only the id, and other issuers have rules below."
      maxlength={textRules.repository.longest}
      autocomplete="off"
    />
  );
}

const jobFields = ['name', 'workflow', 'environment', 'repository_id', 'owner_id', 'claims'];
const allJobFields = [...jobFields, 'refs', 'workflow_claim'];

/** `children`: further rare fields, which come first. */
export function JobFields({ isNew, children }: { readonly isNew: boolean; readonly children?: Child }): Child {
  return (
    <FoldedFields
      label="More rules for the jobs: workflow, environment, branches, ids"
      names={allJobFields}
      valued={jobFields}
    >
      {children}
      <div class="side-by-side">
        <TextField
          name="workflow"
          label="Workflow file"
          hint="Such as release.yml. Empty: any file of the repository."
          maxlength={textRules.workflow.longest}
          autocomplete="off"
        />
        <TextField
          name="environment"
          label="Environment"
          hint="Such as release, with reviewers at the forge. Empty: any."
          maxlength={textRules.environment.longest}
          autocomplete="off"
        />
      </div>
      <SelectField
        name="refs"
        label="Tags and branches"
        hint="Protected branches and tags are those that the forge protects."
        choices={isNew ? [standardRefChoice, ...refChoices] : refChoices}
      />
      <PreciseFields isNew={isNew} />
    </FoldedFields>
  );
}

const standardRefChoice: Choice = { value: '', label: 'tags and protected branches to publish, any to read' };

export const refWords = {
  tags: 'tags',
  protected: 'protected branches and tags',
  'tags-or-protected': 'tags and protected branches',
  any: 'any branch or tag',
} as const;

const refChoices: readonly Choice[] = Object.entries(refWords).map(([value, label]) => ({ value, label }));

export const workflowClaimWords = {
  job: 'the file that runs, also of a reusable workflow',
  caller: 'the file that was started, whatever it calls',
} as const;

/** For few publishers. */
function PreciseFields({ isNew }: { readonly isNew: boolean }): Child {
  return (
    <>
      <div class="side-by-side">
        <TextField
          name="repository_id"
          label="Id of the repository"
          hint={isNew ? 'Empty: the first job sets it.' : 'Empty: the next job sets it.'}
          maxlength={textRules.repository_id.longest}
          autocomplete="off"
        />
        <TextField
          name="owner_id"
          label="Id of the owner"
          hint="The id of the organisation, group or person."
          maxlength={textRules.owner_id.longest}
          autocomplete="off"
        />
      </div>
      <SelectField
        name="workflow_claim"
        label="The workflow file must be"
        choices={Object.entries(workflowClaimWords).map(([value, label]) => ({ value, label }))}
      />
      <TextArea
        name="claims"
        label="More rules for claims"
        hint="One claim with its exact value a line, such as runner_environment = github-hosted."
        rows={2}
      />
    </>
  );
}

export function PackagesField({ purpose }: { readonly purpose?: Purpose }): Child {
  return <TextArea name="packages" label="Packages" hint={packagesHint(purpose)} rows={3} />;
}

const viewFields = ['constraints', 'stability', 'not_after'];
const tokenFields = [...viewFields, 'token_minutes', 'exchanges_per_hour'];

/** `purpose`: undefined if the form asks for it. */
export function TokenFields({ purpose }: { readonly purpose?: Purpose }): Child {
  const isNew = purpose === undefined;
  return (
    <FoldedFields label="More limits of their tokens" names={tokenFields} valued={isNew ? tokenFields : viewFields}>
      {purpose === 'publish' ? null : <ViewFields />}
      <div class="side-by-side">
        <TextField
          name="token_minutes"
          label="Minutes until a token ends"
          hint={minutesHint(purpose)}
          type="number"
          min={1}
          max={isNew ? standardMinutes.read : standardMinutes[purpose]}
          required={!isNew}
        />
        <TextField
          name="exchanges_per_hour"
          label="Exchanges an hour"
          hint={isNew ? `Empty: ${standardExchanges}.` : `At most ${mostExchanges}.`}
          type="number"
          min={1}
          max={mostExchanges}
          required={!isNew}
        />
      </div>
    </FoldedFields>
  );
}

function packagesHint(purpose: Purpose | undefined): string {
  const lines = 'One name or pattern a line, such as acme/core or acme/*.';
  if (purpose === 'publish') return `${lines} They need not exist yet.`;
  if (purpose === 'read') return `${lines} Empty: all packages.`;
  return `${lines} To publish, name at least one: it need not exist yet. To read, empty means all.`;
}

function minutesHint(purpose: Purpose | undefined): string {
  const { publish, read } = standardMinutes;
  if (purpose === undefined) return `Empty: ${publish} to publish, ${read} to read. No token lives longer.`;
  return `At most ${standardMinutes[purpose]}.`;
}

function ViewFields(): Child {
  return (
    <div class="stack" data-for="read">
      <TextArea
        name="constraints"
        label="Versions"
        hint="One package with its versions a line, such as acme/core <3.0. Packages without a line show all."
        rows={2}
      />
      <ReleaseFields />
    </div>
  );
}
